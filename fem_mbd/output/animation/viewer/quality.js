'use strict';
// How finely things are drawn. Without a graphics card the processor draws, about a hundred times slower: there
// surfaces have fewer faces and simpler light, and nothing throws a shadow.
const quality = (() => {
  const renderer = () => {
    const gl = document.createElement('canvas').getContext('webgl2');
    if (!gl) return '';  // the page says so when its own picture is made
    const about = gl.getExtension('WEBGL_debug_renderer_info');
    const name = gl.getParameter(about ? about.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
    const end = gl.getExtension('WEBGL_lose_context');
    if (end) end.loseContext();
    return String(name);
  };
  const software = /swiftshader|llvmpipe|softpipe|software|basic render/i.test(renderer());
  // Faces around a round thing.
  const faces = (count) => (software ? Math.max(8, Math.round(count / 2)) : count);
  const material = ({ roughness, metalness, ...about }) => (software
    ? new THREE.MeshLambertMaterial(about) : new THREE.MeshStandardMaterial({ roughness, metalness, ...about }));
  // Pixels of a picture that stands still for each of the screen's: the processor smooths no edges otherwise.
  const finest = software ? 2 : 1;
  // ms between renewals of the clock, its slider and the plot while time goes on: they take longer than the picture.
  const pause = software ? 150 : 0;
  return { software, faces, material, finest, pause };
})();
