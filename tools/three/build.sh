#!/usr/bin/env bash
# Makes fem_mbd/output/animation/viewer/three.min.js anew from three.js's npm package. Only who changes its version or what the
# viewer imports needs this, and node; the script that it makes is part of the package.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")"
viewer=../../fem_mbd/output/animation/viewer
npm install --no-audit --no-fund --no-package-lock
version=$(node -p 'JSON.parse(require("fs").readFileSync("node_modules/three/package.json")).version')
npx esbuild entry.js --bundle --minify --format=iife --global-name=THREE --legal-comments=none --charset=ascii \
    --banner:js="/* three.js $version, MIT licence, from npm; see three.LICENSE */" \
    --outfile="$viewer/three.min.js"
cp node_modules/three/LICENSE "$viewer/three.LICENSE"
