'use strict';
// Bodies, symbols of joints, sockets, supports and arrows: objects fixed to a node.
const solids = (() => {
  const material = (colour, more) => quality.material({ color: colour, roughness: 0.45, metalness: 0.2, ...more });
  const { faces } = quality;
  const steel = material('#8fa3b8'), joint = material('#e0a32e', { metalness: 0.35 }), dark = material('#475569');
  const shell = material('#7fb2d9', { transparent: true, opacity: 0.28, depthWrite: false, side: THREE.DoubleSide, forceSinglePass: true });
  const paints = { contact: material('#c8324b', { metalness: 0 }), reaction: material('#2f8f5b', { metalness: 0 }) };
  const mesh = (geometry, look) => { const m = new THREE.Mesh(geometry, look); m.castShadow = look !== shell; return m; };
  const matrix = (axes, at) => {
    const a = axes || [1, 0, 0, 0, 1, 0, 0, 0, 1];  // by columns
    return new THREE.Matrix4().set(a[0], a[3], a[6], at[0], a[1], a[4], a[7], at[1], a[2], a[5], a[8], at[2], 0, 0, 0, 1);
  };
  // Object fixed to a node; its position and axes are given in the node's axes.
  const rider = (object, node, at, axes) => {
    const local = matrix(axes, at), now = new THREE.Matrix4();
    object.matrixAutoUpdate = false;
    return {
      object,
      move(state) {
        const p = 3 * node, q = 9 * node, t = state.turn, u = state.place;
        now.set(t[q], t[q + 1], t[q + 2], u[p], t[q + 3], t[q + 4], t[q + 5], u[p + 1], t[q + 6], t[q + 7], t[q + 8], u[p + 2], 0, 0, 0, 1);
        object.matrix.multiplyMatrices(now, local);
        object.matrixWorldNeedsUpdate = true;
      },
    };
  };

  // Cylinder along the third axis of its group.
  const rod = (radius, length, look) => {
    const m = mesh(new THREE.CylinderGeometry(radius, radius, length, faces(28)), look);
    m.rotation.x = Math.PI / 2;
    return m;
  };
  const surface = (data) => {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.Float32BufferAttribute(data.points, 3));
    geometry.setIndex(data.faces);
    const flat = geometry.toNonIndexed();
    flat.computeVertexNormals();
    return flat;
  };
  const body = (data) => {
    const colour = data.colour ? material(data.colour) : steel;
    if (data.shape === 'sphere') return mesh(new THREE.SphereGeometry(data.radius, faces(32), faces(20)), colour);
    if (data.shape === 'cylinder') { const g = new THREE.Group(); g.add(rod(data.radius, data.length, colour)); return g; }
    if (data.shape === 'mesh') return mesh(surface(data), colour);
    return mesh(new THREE.BoxGeometry(...data.sides), colour);
  };
  const sign = ({ type, size: s }) => {
    const group = new THREE.Group();
    if (type.includes('revolute')) group.add(rod(0.6 * s, 2.8 * s, joint));
    else if (type.includes('prismatic') || type.includes('cylindrical')) group.add(rod(0.45 * s, 5 * s, joint));
    else if (type === 'universal') {
      const a = rod(0.4 * s, 2.8 * s, joint), b = rod(0.4 * s, 2.8 * s, joint);
      b.rotation.set(0, 0, Math.PI / 2);
      group.add(a, b);
    } else if (type === 'planar') group.add(mesh(new THREE.BoxGeometry(4 * s, 4 * s, 0.4 * s), joint));
    else if (type === 'clamp' || type === 'rigid offset') group.add(mesh(new THREE.BoxGeometry(1.5 * s, 1.5 * s, 1.5 * s), joint));
    else group.add(mesh(new THREE.SphereGeometry(1.15 * s, faces(28), faces(18)), joint));
    return group;
  };
  const socket = (data) => [
    rider(mesh(new THREE.SphereGeometry(data.radius_k, faces(40), faces(26)), shell), data.k, data.at_k),
    rider(mesh(new THREE.SphereGeometry(data.radius_l, faces(36), faces(24)), joint), data.l, data.at_l),
  ];
  const support = (node, size) => rider(mesh(new THREE.BoxGeometry(size, size, size), dark), node, [0, 0, 0]);

  // Arrow of unit length along y; its tip (a push) or its tail (a pull) is at the point of the force.
  const arrow = (data, view) => {
    const group = new THREE.Group(), look = paints[data.kind];
    const shaft = mesh(new THREE.CylinderGeometry(0.022, 0.022, 0.72, faces(14)), look), head = mesh(new THREE.ConeGeometry(0.062, 0.28, faces(20)), look);
    shaft.position.y = 0.36; head.position.y = 0.86;
    group.add(shaft, head);
    const up = new THREE.Vector3(0, 1, 0), force = new THREE.Vector3();
    return {
      object: group,
      kind: data.kind,
      move(state) {
        const v = state.of(data.numbers, 6);
        force.set(v[3], v[4], v[5]);
        const size = force.length(), length = view.arrow * size / view.largest[data.kind];
        group.visible = view.shown[data.kind] && length > 1e-4 * view.size;
        if (!group.visible) return;
        group.position.set(v[0], v[1], v[2]);
        group.quaternion.setFromUnitVectors(up, force.divideScalar(size));
        group.scale.set(view.arrow, length, view.arrow);
        if (data.kind === 'contact') group.position.addScaledVector(force, -length);
      },
    };
  };
  return { rider, body, sign, socket, support, arrow };
})();
