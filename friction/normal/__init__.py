"""Normal contact laws: elastic, damped, of cylinders, with restitution."""
