"""What contacts compute in a step: forces by geometry and laws, their tangent, and how slip and bristles go along."""
