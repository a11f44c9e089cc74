"""Commands about models, laws and the installation: static, modal, campbell, linearize, import, fmu, laws, fit,
doctor.
"""
