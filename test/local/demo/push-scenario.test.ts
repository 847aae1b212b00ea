import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { Status } from '../../../functions/status/status.ts';
import { usePrograms } from '../program.ts';
import { unwrapped } from './unwrapped.ts';

const { start, folder } = usePrograms();

test('[C-9] [S0-1] [S0-7] [S1-7] [S1-13] [S3-5] runs the whole demo on embedded defaults and stays, with a page and a signed push that works as printed', {
  timeout: 150_000,
}, async () => {
  const program = start(['--port', '0', '--data', folder()]);
  const [, curl = ''] = await program.untilOutput(/(curl -sS [\s\S]*?)\n\nCtrl-C ends/);
  const [, statusUrl = ''] = await program.untilOutput(/Status {5}(\S+)/);

  const page = await fetch(statusUrl, { headers: { accept: 'text/html' } });
  const { reboots } = Status.parse(await (await fetch(statusUrl, { headers: { accept: 'application/json' } })).json());
  const answer = await sendAsPrinted(curl);
  program.signal('SIGTERM');

  const steps = [
    /Status {5}http/,
    /export KUBECONFIG=\S+kubeconfig/,
    /Git push .*changes 99-worker-chrony/,
    /answers 202 to the signed delivery/,
    /pool worker is paused/,
    /platform-machine-config: Succeeded/,
    /has observed the pause \(generation \d+\); no node was targeted before/,
    /the pause was (early|in time)/,
    /nothing rebooted under the sync/,
    /pool worker resumes/,
    /expects the rollout to stop: 1 of 3 nodes will block/,
    /worker-1 has rebooted into the new config/,
    /PK-1 drain of worker-2 blocked by PDB shop\/web/,
    /oc label node/,
    /pool worker is Updated/,
    /PK-1 is resolved/,
    /WHAT ENDED IT/,
    /Demo finished/,
  ];
  const positions = steps.map((step) => unwrapped(program.output()).search(step));
  expect(positions).not.toContain(-1);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  const ofChange = reboots.filter(({ to }) => to === reboots[0]?.to);
  expect(ofChange.map(({ node }) => node).toSorted()).toEqual(['worker-0', 'worker-1', 'worker-2']);
  expect(ofChange.map(({ rebooted }) => rebooted)).toEqual([true, true, true]);
  expect([page.status, answer.status]).toEqual([200, 202]);
  expect(await page.text()).toContain('worker');
  expect(await program.ended).toBe(0);
});

/** The printed command, taken apart: what a shell would send. */
async function sendAsPrinted(curl: string): Promise<Response> {
  const [, url = ''] = /curl -sS (\S+)/.exec(curl) ?? [];
  const headers = [...curl.matchAll(/-H ['"]([^:]+): ([^'"]+)['"]/g)].map((match): [string, string] => [
    match[1] ?? '',
    (match[2] ?? '').replace(/\$\(.*\)/, '1'),
  ]);
  const [, file = ''] = /--data-binary @(\S+)/.exec(curl) ?? [];
  return fetch(url, { method: 'POST', headers, body: await readFile(file) });
}
