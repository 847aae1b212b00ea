#!/usr/bin/env node
// Plain JavaScript for any Node >= 20: `npx poolkeeper ...` in a checkout. It runs the pinned Node on
// local/cli/main.ts.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const pinnedNode = join(root, 'node_modules', '.bin', 'node');

if (!existsSync(pinnedNode)) {
  console.error('poolkeeper: nothing is installed yet; run `npm ci` in the checkout first.');
  process.exit(2);
}
const child = spawn(pinnedNode, [join(root, 'local', 'cli', 'main.ts'), ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// The terminal sends Ctrl-C to both; whoever else ends us ends the child too.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code) => process.exit(code ?? 1));
