import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Command } from '../../../../local/cli/command.ts';
import { explain } from '../../../../local/cli/explain/explain.ts';
import { record } from '../../../../local/cli/record.ts';
import { replay } from '../../../../local/cli/replay/replay.ts';
import { type DemoCluster, demoCluster } from '../demo-cluster.ts';
import { writeMustGather } from './write-must-gather.ts';

const commands: Readonly<Record<string, Command>> = { explain, record, replay };
const page = readFileSync(fileURLToPath(new URL('../../../../docs/explain.md', import.meta.url)), 'utf8');
const lines = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
const files = ['./must-gather.local.123', 'worker.json', 'worker.jsonl'];

let demo: DemoCluster;

beforeAll(async () => {
  demo = await demoCluster();
  await demo.untilBlocked();
  await writeMustGather(inFolder('./must-gather.local.123'), demo.world.openshift.registry, demo.clock.now());
});

afterAll(() => demo.close());

function inFolder(word: string): string {
  return files.includes(word) ? join(demo.folder, word) : word;
}

test('docs/explain.md shows commands', () => {
  expect(lines.length).toBeGreaterThan(6);
  expect(lines.filter((line) => !line.startsWith('poolkeeper '))).toEqual([]);
});

test.each(lines)('%s', async (line) => {
  const [name = '', ...args] = line.split(' ').slice(1);
  const command = commands[name];
  if (command === undefined) throw new Error(`the page names a command that it is not about: ${name}`);

  const { status, text } = await demo.run(command, ...args.map(inFolder));

  // The cluster of this page is in trouble.
  expect(status).toBe(command === explain ? 1 : 0);
  expect(text).toContain(command === explain ? 'worker-2' : command === record ? 'worker.json' : 'snapshots of');
});
