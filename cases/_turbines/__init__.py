"""What the cases of whole turbines share: parameters, models, runs, figures."""
