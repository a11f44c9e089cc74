"""Common part of the cases of whole turbines: parameters, models, runs, figures."""
