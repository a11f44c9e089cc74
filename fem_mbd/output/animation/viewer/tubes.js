'use strict';
// Beam elements: the outline of the section moved along the polynomial through the element's nodes.
class Tube {
  constructor(data, colour) {
    this.data = data;
    this.colour = colour;
    this.first = data.rings[0];
    this.last = data.rings[data.rings.length - 1];
    this.sides = this.first.length;
    this.ringCount = data.weights.length;
    const wall = this.sides * this.ringCount, corners = this.sides / 2;
    this.wall = wall;
    this.position = new Float32Array(3 * (wall + 2 * corners));
    this.normal = new Float32Array(this.position.length);
    this.tint = new Float32Array(this.position.length);
    this.geometry = new THREE.BufferGeometry();
    for (const [name, array] of [['position', this.position], ['normal', this.normal], ['color', this.tint]]) {
      this.geometry.setAttribute(name, new THREE.BufferAttribute(array, 3).setUsage(THREE.DynamicDrawUsage));
    }
    this.geometry.setIndex(this.faces(corners));
    this.mesh = new THREE.Mesh(this.geometry, Tube.material);
    this.mesh.castShadow = true;
    this.mesh.frustumCulled = false;
    this.paint(null);
  }

  faces(corners) {
    const index = [], n = this.sides;
    const turned = THREE.ShapeUtils.area(this.corners(this.first)) < 0;
    const push = (a, b, c) => (turned ? index.push(a, c, b) : index.push(a, b, c));
    for (let r = 0; r + 1 < this.ringCount; r++) {
      for (let s = 0; s < n; s += 2) {
        const a = r * n + s, b = a + 1;
        push(a, b, a + n);
        push(b, b + n, a + n);
      }
    }
    const flat = this.corners(this.first);
    for (const [a, b, c] of THREE.ShapeUtils.triangulateShape(flat, [])) {
      const start = this.wall, end = this.wall + corners;
      const [first, last] = this.data.caps, [p, q] = turned ? [c, b] : [b, c];
      if (first) index.push(start + a, start + q, start + p);
      if (last) index.push(end + a, end + p, end + q);
    }
    return index;
  }

  corners(ring) {
    return ring.filter((_, k) => k % 2 === 0).map(([y, z]) => new THREE.Vector2(y, z));
  }

  // Set all vertices; state: current positions and rotations of the nodes.
  move(state) {
    const { nodes, weights, turn } = this.data, n = this.sides, corners = n / 2, axes = new Float64Array(9);
    for (let r = 0; r < this.ringCount; r++) {
      let x = 0, y = 0, z = 0;
      const mixed = new Float64Array(9);
      for (let k = 0; k < nodes.length; k++) {
        const w = weights[r][k], p = 3 * nodes[k], q = 9 * nodes[k];
        x += w * state.place[p]; y += w * state.place[p + 1]; z += w * state.place[p + 2];
        for (let i = 0; i < 9; i++) mixed[i] += w * state.turn[q + i];
      }
      for (let i = 0; i < 3; i++) {
        for (let j = 0; j < 3; j++) {
          axes[3 * i + j] = mixed[3 * i] * turn[3 * j] + mixed[3 * i + 1] * turn[3 * j + 1] + mixed[3 * i + 2] * turn[3 * j + 2];
        }
      }
      for (let j = 0; j < 3; j++) {
        const size = Math.hypot(axes[j], axes[3 + j], axes[6 + j]) || 1;
        axes[j] /= size; axes[3 + j] /= size; axes[6 + j] /= size;
      }
      const along = r / (this.ringCount - 1);
      for (let s = 0; s < n; s++) this.put(3 * (r * n + s), x, y, z, axes, this.first[s], this.last[s], along);
      if (r === 0 || r === this.ringCount - 1) {
        const side = r === 0 ? -1 : 1, start = this.wall + (r === 0 ? 0 : corners);
        for (let c = 0; c < corners; c++) {
          const from = 3 * (r * n + 2 * c), to = 3 * (start + c);
          for (let i = 0; i < 3; i++) {
            this.position[to + i] = this.position[from + i];
            this.normal[to + i] = side * axes[3 * i];
          }
        }
      }
    }
    this.geometry.attributes.position.needsUpdate = true;
    this.geometry.attributes.normal.needsUpdate = true;
  }

  put(at, x, y, z, axes, first, last, along) {
    const u = first[0] + along * (last[0] - first[0]), v = first[1] + along * (last[1] - first[1]);
    this.position[at] = x + u * axes[1] + v * axes[2];
    this.position[at + 1] = y + u * axes[4] + v * axes[5];
    this.position[at + 2] = z + u * axes[7] + v * axes[8];
    this.normal[at] = first[2] * axes[1] + first[3] * axes[2];
    this.normal[at + 1] = first[2] * axes[4] + first[3] * axes[5];
    this.normal[at + 2] = first[2] * axes[7] + first[3] * axes[8];
  }

  // Colour by a section quantity, or the colour of the beam: value(row) is the current quantity at a Gauss point.
  paint(quantity) {
    const n = this.sides, corners = n / 2, rows = quantity && this.data.rows[quantity.output], rgb = [0, 0, 0];
    const plain = rows === null || rows === undefined;
    for (let r = 0; r < this.ringCount; r++) {
      if (plain) { this.colour.toArray(rgb); } else {
        let value = 0;
        this.data.section[r].forEach((w, g) => { value += w * quantity.value(rows + g); });
        const i = colours.index(quantity.scale, value);
        for (let c = 0; c < 3; c++) rgb[c] = quantity.scale.table[i + c];
      }
      for (let s = 0; s < n; s++) this.tint.set(rgb, 3 * (r * n + s));
      if (r === 0) for (let c = 0; c < corners; c++) this.tint.set(rgb, 3 * (this.wall + c));
      if (r === this.ringCount - 1) for (let c = 0; c < corners; c++) this.tint.set(rgb, 3 * (this.wall + corners + c));
    }
    this.geometry.attributes.color.needsUpdate = true;
  }
}
Tube.material = quality.material({ vertexColors: true, roughness: 0.42, metalness: 0.15 });
