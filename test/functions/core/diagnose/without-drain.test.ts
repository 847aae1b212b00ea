import { describe, expect, test } from 'vitest';
import type { Remedy } from '../../../../functions/core/findings/trouble.ts';
import { aNodeRollout } from '../../../fakes/builders.ts';
import { flat, look } from './look.ts';
import { aLiveNode, aWorld, newConfig, nodeSubject } from './world.ts';

const missing = `machineconfig.machineconfiguration.openshift.io "${newConfig}" not found`;

async function remediesOf(
  annotations: Readonly<Record<string, string>>,
  controlPlaneTopology: string,
  symptom: 'failing' | 'rebooting',
): Promise<readonly Remedy[]> {
  const node = aLiveNode('worker-2', {
    annotations: { desiredConfig: newConfig, ...annotations, controlPlaneTopology },
  });
  const world = aWorld({ nodes: [node] });
  const rollout = aNodeRollout({ boots: ['boot-worker-2'], ended: undefined });
  const { findings } = await look(world, { ...nodeSubject(world, 'worker-2', symptom), rollout });
  return findings.flatMap(flat).flatMap(({ remedies }) => remedies);
}

const told = 'Nothing is drained in this cluster, whose control plane is one node';

describe('[S1-12] [N-31] remedies where the control plane is a single node', () => {
  test.each([
    ['a missing config', { state: 'Degraded', reason: missing }, 'failing'],
    ['a pending reboot', { state: 'Working', 'post-config-action': 'Rebooting' }, 'rebooting'],
  ] as const)('%s: nobody is told to wait for a drain, nor that one was', async (_, annotations, symptom) => {
    const single = await remediesOf(annotations, 'SingleReplica', symptom);
    const usual = await remediesOf(annotations, 'HighlyAvailable', symptom);

    const acts = single.filter(({ title, risk }) => risk !== 'none' && /drain|boot/i.test(title));
    expect(acts).not.toEqual([]);
    expect(acts.filter(({ title }) => !title.includes(told))).toEqual([]);
    expect(single.map(({ title }) => title).join()).not.toContain('it is drained already');
    expect(usual.map(({ title }) => title).join()).not.toContain(told);
    expect(single.map(({ command }) => command)).toEqual(usual.map(({ command }) => command));
  });

  test('a pending reboot elsewhere is told as drained', async () => {
    const annotations = { state: 'Working', 'post-config-action': 'Rebooting' };

    const titles = (await remediesOf(annotations, 'HighlyAvailable', 'rebooting')).map(({ title }) => title);

    expect(titles).toContain('If nothing moves: reboot it by hand, it is drained already');
  });
});
