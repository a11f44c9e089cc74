"""Commands about models and laws: static, modal, campbell, linearize, import, fmu, laws, fit, calibrate, doctor."""
