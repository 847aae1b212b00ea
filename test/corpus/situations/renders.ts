import { aLiveNode, type Json, minutesAgo } from '../../functions/core/diagnose/world.ts';
import { aPoolObject, type Situation, situation } from '../situation.ts';
import { sources } from '../sources.ts';

interface RenderDraft {
  readonly id: string;
  readonly title: string;
  readonly after?: string;
  readonly code: string;
  readonly message: string;
  readonly about?: string;
  readonly named: readonly string[];
  readonly machineConfigs?: readonly Json[];
}

/** The MCO cannot merge the MachineConfigs. As measured: Updated stays True, and the message of Degraded is empty. */
function cannotRender({ id, title, after = sources.render, code, message, about, named, machineConfigs }: RenderDraft) {
  return situation({
    id,
    title,
    after,
    expected: { pool: 'worker', kind: 'render-failed', code, about: about ?? 'MachineConfigPool worker', named },
    world: {
      nodes: ['worker-1', 'worker-2', 'worker-3'].map((name) => aLiveNode(name)),
      machineConfigs: machineConfigs ?? [],
    },
    pools: [
      aPoolObject({
        conditions: [
          { type: 'Degraded', status: 'True', message: '' },
          {
            type: 'RenderDegraded',
            status: 'True',
            message: `Failed to render configuration for pool worker: ${message}`,
            lastTransitionTime: minutesAgo(40),
          },
        ],
      }),
    ],
  });
}

function head(name: string, changed: number, annotations = {}): Json {
  return {
    metadata: {
      name,
      annotations,
      labels: { 'machineconfiguration.openshift.io/role': 'worker' },
      creationTimestamp: minutesAgo(changed),
    },
  };
}

export const renders: readonly Situation[] = [
  cannotRender({
    id: 'words-of-the-render-unknown',
    title: 'a text that nobody knows: it is passed on, and nothing is claimed',
    code: 'R0',
    message: 'something new went wrong',
    named: ['something new went wrong'],
  }),
  cannotRender({
    id: 'selector-matches-nothing',
    title: 'the selector of the pool matches no MachineConfig',
    code: 'R1',
    message: 'no MachineConfigs found matching selector machineconfiguration.openshift.io/role=gpu',
    named: ['no MachineConfigs found'],
  }),
  cannotRender({
    id: 'ignition-version',
    title: 'a MachineConfig with an Ignition version that is not known; it was made just before',
    code: 'R2',
    message: 'parsing Ignition config failed: unknown version. Supported spec versions: 2.2, 3.0, 3.1, 3.2, 3.3, 3.4',
    about: 'MachineConfig 99-bad',
    named: ['99-bad'],
    machineConfigs: [head('99-bad', 40.4), head('99-old', 9_000)],
  }),
  cannotRender({
    id: 'render-refuses-disks',
    title: 'newer releases refuse a change of disks before any node is touched, and name the MachineConfig',
    after: sources.reconcile,
    code: 'R3',
    message:
      'reconciliation failed between current config "rendered-worker-aaa" and base config "99-disk": ignition disks section contains changes',
    about: 'MachineConfig 99-disk',
    named: ['99-disk'],
  }),
  cannotRender({
    id: 'render-refuses-an-edit-of-disks',
    title: 'the disks were there before: newer releases name the first MachineConfig that has none',
    after: sources.reconcile,
    code: 'R3',
    message:
      'could not generate rendered MachineConfig: reconciliation failed between current config "rendered-worker-aaa" and base config "00-worker": ignition disks section contains changes',
    about: 'MachineConfig 98-var-partition',
    named: ['98-var-partition'],
    machineConfigs: [
      head('00-worker', 9_000, { 'machineconfiguration.openshift.io/generated-by-controller-version': 'abc' }),
      head('98-var-partition', 40.4),
    ],
  }),
  cannotRender({
    id: 'extension-not-known',
    title: 'an extension that does not exist',
    code: 'R4',
    message: 'invalid extensions found: [nano]',
    named: ['nano'],
  }),
  cannotRender({
    id: 'render-too-large',
    title: 'all MachineConfigs together are too large',
    code: 'R5',
    message: 'rendered MachineConfig rendered-worker-ccc is too large (2000000 bytes, max 1572864 bytes)',
    named: ['too large'],
  }),
  cannotRender({
    id: 'two-settings-of-the-image',
    title: 'osImageURL and an image stream at once',
    code: 'R6',
    message:
      'cannot override MachineConfig osImageURL and set MachineConfigPool spec.osImageStream.name simultaneously',
    named: ['osImageURL'],
  }),
  cannotRender({
    id: 'no-runc',
    title: 'the image of the pool has no runc',
    code: 'R7',
    message: 'MachineConfigPool worker targets a RHEL 10 OS image where runc is not available',
    named: ['runc'],
  }),
  cannotRender({
    id: 'upgrade-hangs',
    title: 'parts of two versions, for forty minutes',
    code: 'R8',
    message: 'ignoring controller config generated from 4.20 by 4.21',
    named: ['4.20'],
  }),
];
