// Plain JavaScript for any Node >= 20: it runs before anything is installed (`prestart`, `pretest`).
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const wanted = join(root, 'package-lock.json');
const installed = join(root, 'node_modules', '.package-lock.json');
const pinnedNode = join(root, 'node_modules', '.bin', 'node');

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Poolkeeper needs Node 20 or newer to install itself; this is Node ${process.versions.node}.`);
  process.exit(2);
}

function isComplete() {
  return existsSync(installed) && existsSync(pinnedNode) && statSync(installed).mtimeMs >= statSync(wanted).mtimeMs;
}

if (!isComplete()) {
  console.log('Poolkeeper: installing what is missing, once (npm ci) ...');
  const npm = process.env.npm_execpath;
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm]] : ['npm', []];
  const result = spawnSync(command, [...args, 'ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (result.status !== 0) {
    console.error('Poolkeeper: the installation failed; the lines above say why. Is the npm registry reachable?');
    process.exit(result.status ?? 1);
  }
  if (!existsSync(pinnedNode)) {
    console.error(
      'Poolkeeper: the pinned Node 24 is missing; installation scripts must not be disabled (ignore-scripts).',
    );
    process.exit(1);
  }
  console.log('Poolkeeper: installed.');
}
