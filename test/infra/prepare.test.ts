import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfiguration } from '../../infra/configuration.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));

let checkout: string;
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'poolkeeper-checkout-'));
  for (const folder of ['functions', 'events', 'infra', 'node_modules', 'package.json']) {
    symlinkSync(join(repository, folder), join(checkout, folder));
  }
  copyFileSync(join(repository, 'poolkeeper.example.yaml'), join(checkout, 'poolkeeper.example.yaml'));
});
afterEach(() => {
  rmSync(checkout, { recursive: true });
});

function prepare() {
  return spawnSync(process.execPath, ['infra/prepare.ts'], { cwd: checkout, encoding: 'utf8' });
}

const prepared = () => join(checkout, '.poolkeeper/poolkeeper.json');

it('[C-7] in a clean checkout the stack is that of the example, and it says so', () => {
  const { status, stderr } = prepare();

  expect(status).toBe(0);
  expect(stderr).toContain('No poolkeeper.yaml here, so this is the stack of poolkeeper.example.yaml');
  expect(readConfiguration(prepared()).clusters.length).toBeGreaterThan(0);
});

it('[C-8] a configuration with mistakes stops before the stack is made, with every mistake', () => {
  writeFileSync(join(checkout, 'poolkeeper.yaml'), 'clusters: []\nalarms: {}\n');

  const { status, stderr } = prepare();

  expect(status).toBe(2);
  expect(stderr).toMatch(/clusters/);
  expect(stderr).toMatch(/alarms/);
  expect(existsSync(prepared())).toBe(false);
});
