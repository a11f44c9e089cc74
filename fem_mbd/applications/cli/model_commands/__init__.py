"""Commands about models and laws: static, modal, campbell, linearize, import, sections, fmu, laws, fit, doctor."""
