"""Normal contact laws of elastic bodies with adhesion."""
