#!/usr/bin/env node
// Plain JavaScript for any Node >= 20: `poolkeeper ...`. In a checkout it runs local/cli/main.ts on the pinned
// Node: in this process if it is one, else in a process of its own. A package has main.mjs instead, which
// local/cli/build.ts makes for the Node that package.json names in `engines`.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const source = join(root, 'local', 'cli', 'main.ts');
const built = join(root, 'dist', 'cli', 'main.mjs');
const pinned = join(root, 'node_modules', 'node', 'package.json');

// Compiled modules, their types stripped, are kept in the user's own folder: into one that others write to, they could
// put code. Nothing is kept where it cannot be written.
const compiled = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'poolkeeper', 'compiled');

if (!existsSync(source)) {
  requireNode(numbersOf(enginesOf(join(root, 'package.json')).node));
  await runHere(built);
} else if (!existsSync(pinned)) {
  console.error('poolkeeper: nothing is installed yet; run `npm ci` in the checkout first.');
  process.exit(2);
} else if (isAtLeast(numbersOf(JSON.parse(readFileSync(pinned, 'utf8')).version))) {
  await runHere(source);
} else {
  runPinned();
}

/** What is loaded before the cache is on is not kept. */
async function runHere(file) {
  module.enableCompileCache(compiled);
  await import(pathToFileURL(file).href);
}

/** Whether this Node is the same major version, and not older. */
function isAtLeast([major, minor]) {
  const [ours, within] = numbersOf(process.versions.node);
  return ours === major && within >= minor;
}

/** Of `24.9.0` or `>=22.19.0`. */
function numbersOf(version) {
  return version.replace(/^\D+/, '').split('.').map(Number);
}

function enginesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).engines;
}

function requireNode([major, minor]) {
  const [ours, within] = numbersOf(process.versions.node);
  if (ours > major || (ours === major && within >= minor)) return;
  console.error(`poolkeeper: needs Node ${major}.${minor} or newer; this is Node ${process.versions.node}.`);
  process.exit(2);
}

function runPinned() {
  const node = join(root, 'node_modules', '.bin', 'node');
  const env = { NODE_COMPILE_CACHE: compiled, ...process.env };
  const child = spawn(node, [source, ...process.argv.slice(2)], { stdio: 'inherit', env });
  // The terminal sends Ctrl-C to both; whoever else ends us ends the child too.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code) => process.exit(code ?? 1));
}
