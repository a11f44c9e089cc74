"""How long a step is, and which attempts are accepted: settings, rules, sizes, stops and repetitions."""
