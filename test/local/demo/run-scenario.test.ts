import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import { Status } from '../../../functions/status/status.ts';
import { usePrograms } from '../program.ts';
import { unwrapped } from './unwrapped.ts';

const { start, folder } = usePrograms();

test('[S4-10] [S4-20] [S4-29] plays a run: a node has its Jobs, its update and its clean-ups; a Job fails, is told, and is tried again', {
  timeout: 150_000,
}, async () => {
  const program = start(['--scenario', 'node-by-node', '--port', '0', '--speed', '200', '--data', folder()]);
  const [, statusUrl = ''] = await program.untilOutput(/Status {5}(\S+)#run-upgrade/);
  await program.untilOutput(/worker-2 +poolkeeper\/move-primary succeeded/);
  const page = await (await fetch(statusUrl, { headers: { accept: 'text/html' } })).text();
  const { runs = [] } = Status.parse(
    await (await fetch(statusUrl, { headers: { accept: 'application/json' } })).json(),
  );
  const yaml = await readFile(join(folder(), 'poolkeeper.yaml'), 'utf8');

  const steps = [
    /pool worker stays paused after the sync of platform-machine-config: run upgrade takes its nodes/,
    /worker-1 +its turn begins/,
    /worker-1 +poolkeeper\/move-primary succeeded/,
    /worker-1 +poolkeeper\/silence-monitor succeeded/,
    /worker-1 +let go to rendered-worker-/,
    /worker-1 +back with rendered-worker-/,
    /worker-1 +the clean-up of poolkeeper\/move-primary succeeded/,
    /worker-1 +its turn is over/,
    /worker-2 +poolkeeper\/move-primary failed: .*exit code 3/,
    /PK-1 run upgrade is blocked\n/,
    /FIRING /,
    /npx poolkeeper run retry upgrade worker-2/,
    /worker-2 +told to try again by demo/,
  ];
  const positions = steps.map((step) => unwrapped(program.output()).search(step));
  expect(positions).not.toContain(-1);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  expect(page).toContain('id="run-upgrade"');
  expect(page).toContain('This is a simulation; its clock runs 200 times as fast.');
  expect(runs).toMatchObject([{ name: 'upgrade', total: 5 }]);
  expect(runs[0]?.tiles.map(({ node }) => node)).toEqual(expect.arrayContaining(['worker-0', 'worker-4']));
  expect(Object.keys(readConfiguration(yaml, { source: 'poolkeeper.yaml' }).nodeTurns?.runs ?? {})).toEqual([
    'upgrade',
  ]);
});
