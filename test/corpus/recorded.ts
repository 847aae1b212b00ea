import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Snapshot } from '../../local/snapshot/snapshot.ts';
import type { Expected, Situation } from './situation.ts';

function recorded(id: string, title: string, expected: Expected): Situation {
  const text = readFileSync(join(import.meta.dirname, 'recordings', `${id}.json`), 'utf8');
  return {
    id,
    title,
    expected,
    origin: { kind: 'recorded', from: 'the simulated OpenShift' },
    snapshot: Snapshot.parse(JSON.parse(text)),
    scene: undefined,
  };
}

/** Recorded by `poolkeeper record`; record-simulated.ts makes them anew. */
export const recordings: readonly Situation[] = [
  recorded('drain-in-deadlock', 'the story of npm start, where it stands still', {
    pool: 'worker',
    kind: 'drain-blocked',
    code: 'self-deadlock',
    about: 'Pod shop/web-b216d4dd1c-ng2vs',
    named: ['web-b216d4dd1c-ng2vs', 'worker-2'],
  }),
  recorded('file-edited-on-the-node', 'drift on an idle node', {
    pool: 'worker',
    kind: 'node-degraded',
    code: 'N1',
    about: 'Node worker-1',
    named: ['worker-1', '/etc/chrony.conf'],
  }),
  recorded('node-lost-in-its-reboot', 'a node that does not come back from its reboot', {
    pool: 'worker',
    kind: 'node-lost',
    code: 'S3',
    about: 'Node worker-0',
    named: ['worker-0', 'reboot'],
  }),
  recorded('ignition-of-another-world', 'a MachineConfig with an Ignition version that does not exist', {
    pool: 'worker',
    kind: 'render-failed',
    code: 'R2',
    about: 'MachineConfig 99-bad',
    named: ['99-bad'],
  }),
  recorded('whole-cluster-at-rest', 'nothing is wrong', 'nothing'),
];
