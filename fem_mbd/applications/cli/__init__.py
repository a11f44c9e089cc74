"""Command line `fem-mbd`: parser, commands, exit statuses. No other package imports it."""
