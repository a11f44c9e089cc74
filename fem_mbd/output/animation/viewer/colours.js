'use strict';
// Colours by value: viridis for one sign, blue to red through white (Moreland's cool-warm) where zero lies between.
const colours = (() => {
  const viridis = ['440154', '482878', '3e4989', '31688e', '26828e', '1f9e89', '35b779', '6ece58', 'b5de2b', 'fde725'];
  const coolwarm = ['3b4cc0', '6788ee', '9abbff', 'c9d7f0', 'edd1c2', 'f7a889', 'e26952', 'b40426'];
  const beams = ['5b7c99', 'b9785a', '6a9179', '9a7fa8', 'b09a52', '4f8f9c', 'a8656f', '7d8794'];
  const table = (stops) => {
    const colour = new THREE.Color(), next = new THREE.Color(), out = new Float32Array(256 * 3);
    for (let i = 0; i < 256; i++) {
      const x = i / 255 * (stops.length - 1), k = Math.min(Math.floor(x), stops.length - 2);
      colour.set('#' + stops[k]).lerp(next.set('#' + stops[k + 1]), x - k).toArray(out, 3 * i);
    }
    return out;
  };
  const css = (stops) => `linear-gradient(90deg, ${stops.map((s) => '#' + s).join(', ')})`;
  const one = { table: table(viridis), css: css(viridis) }, two = { table: table(coolwarm), css: css(coolwarm) };
  // Range and colour map of a quantity: symmetric about zero if it has both signs.
  const scale = (low, high) => {
    const flat = !(high > low);
    if (low < 0 && high > 0) { const size = Math.max(-low, high); return { low: -size, high: size, ...two }; }
    return { low, high: flat ? low + (Math.abs(low) || 1) * 1e-9 : high, ...one };
  };
  const index = (scale, value) => 3 * Math.max(0, Math.min(255, Math.round(255 * (value - scale.low) / (scale.high - scale.low))));
  const beam = (k) => new THREE.Color('#' + beams[k % beams.length]);
  return { scale, index, beam };
})();
