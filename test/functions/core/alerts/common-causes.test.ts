import { describe, expect, test } from 'vitest';
import { openingOf } from '../../../../functions/core/alerts/joint.ts';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Finding, TroubleKind } from '../../../../functions/core/findings/trouble.ts';
import { sayingWhatIsCommon } from '../../../../functions/core/judge/common-cause.ts';
import { makeTrouble } from '../../../../functions/core/judge/make-trouble.ts';
import { aCondition, aPool } from '../../../fakes/builders.ts';
import { look } from '../diagnose/look.ts';
import { aLiveNode, aRollingPool, aWorld, newConfig, nodeSubject } from '../diagnose/world.ts';
import { passOver, the } from '../judge/pass-over.ts';

const now = new Date('2026-03-02T10:40:00.000Z');

/** What the cause is called over all clusters. */
function called(cluster: string, pool: string, findings: readonly Finding[], kind: TroubleKind = 'node-degraded') {
  const key = { cluster, pool, kind };
  const since = now.toISOString();
  const trouble = makeTrouble({ key, severity: 'high', headline: 'wrong', since, findings, facts: [] });
  const [told] = sayingWhatIsCommon([trouble]);
  return openingOf({ key, number: 1 }, told, now)?.cause;
}

/** Nodes of a cluster that all give this reason. */
async function degraded(cluster: string, reasons: readonly string[]): Promise<string | undefined> {
  const names = reasons.map((_, nth) => `${cluster}-worker-${nth}`);
  const world = aWorld({
    nodes: reasons.map((reason, nth) =>
      aLiveNode(names[nth] ?? '', { annotations: { state: 'Degraded', reason, desiredConfig: newConfig } }),
    ),
  });
  const looked = await Promise.all(names.map((name) => look(world, nodeSubject(world, name, 'failing'))));
  return called(
    cluster,
    'worker',
    looked.flatMap(({ findings }) => findings),
  );
}

const mismatch = (file: string) => `content mismatch for file "${file}"`;

describe('what lies in nodes and pools of several clusters', () => {
  test('[N-18] [N-30] is one cause where a file is the same, on however many nodes of each, and not where it is another', async () => {
    const file = mismatch('/etc/chrony.conf');
    const one = await degraded('eu', [file]);

    expect(one).toBeDefined();
    expect(await degraded('us', [file, file, file])).toBe(one);
    expect(await degraded('us', [mismatch('/etc/kubernetes/kubelet-ca.crt')])).not.toBe(one);
  });

  test('[N-18] [N-30] is one cause where a registry does not answer, from whatever address it is asked, and not of another registry', async () => {
    const timeout = (registry: string, from: string) =>
      `failed to update OS to ${registry}/x: pinging container registry ${registry}: Get "https://${registry}/v2/": dial tcp: lookup ${registry} on ${from}:53: read udp ${from}:40123->${from}:53: i/o timeout`;
    const one = await degraded('eu', [timeout('quay.io', '10.0.0.2')]);

    expect(one).toBeDefined();
    expect(await degraded('us', [timeout('quay.io', '10.9.0.7'), timeout('quay.io', '10.9.0.8')])).toBe(one);
    expect(await degraded('us', [timeout('registry.example.com', '10.0.0.2')])).not.toBe(one);
  });

  test('[N-18] [N-30] is one cause where the same change cannot be rendered, whatever the clusters call their renders', async () => {
    const unrenderable = async (cluster: string, current: string, error: string) => {
      const message = `Failed to render configuration for pool worker: parsing Ignition config failed: ${error}`;
      const pool = aPool({
        name: 'worker',
        current: { name: current, sources: [] },
        conditions: [aCondition({ type: 'RenderDegraded', status: 'True', message })],
      });
      return called(cluster, 'worker', the('render-failed', await passOver({ pools: [pool] })).findings);
    };
    const one = await unrenderable('eu', 'rendered-worker-aaa', 'unknown version. Supported spec versions: 2.2, 3.0');

    expect(one).toBeDefined();
    expect(await unrenderable('us', 'rendered-worker-bbb', 'unknown version. Supported spec versions: 2.2, 3.4')).toBe(
      one,
    );
    expect(await unrenderable('us', 'rendered-worker-aaa', 'unused key')).not.toBe(one);
  });

  test('[N-18] [N-30] is no cause of several where the text says nothing of it', async () => {
    expect(await degraded('eu', ['unexpected on-disk state validating against rendered-worker-aaa'])).toBeUndefined();
    expect(await degraded('eu', ['something odd'])).toBeUndefined();
  });

  test('[N-18] [N-30] is no cause of several where a person has paused a pool, or a node is not ready', async () => {
    const node = finding({
      code: 'S2',
      subject: ref('Node', 'worker-1'),
      sentence: 'worker-1 is not ready.',
      confidence: 'certain',
      class: 'external',
    });
    const pools = [aRollingPool({ paused: true })];
    const paused = finding({
      ...node,
      code: 'S6',
      subject: ref('MachineConfigPool', pools[0]?.name ?? ''),
      sentence: 'Pool worker has been paused for 3 h by kubectl; nothing waits behind it.',
    });

    expect(called('eu', 'worker', [node], 'node-lost')).toBeUndefined();
    expect(called('eu', 'worker', [paused], 'paused-too-long')).toBeUndefined();
  });

  test('[N-18] [N-30] Applications that are called like their clusters are told apart by what they say', () => {
    const failed = (cluster: string, why: string) =>
      called(
        cluster,
        '*',
        [
          finding({
            code: 'A1',
            subject: ref('Application', cluster, 'argocd'),
            sentence: `The sync of argocd/${cluster} failed: ${why}.`,
            confidence: 'certain',
            class: 'external',
          }),
        ],
        'run-failed',
      );

    expect(failed('us', 'the webhook denied it')).toBe(failed('eu', 'the webhook denied it'));
    expect(failed('us', 'the webhook denied it')).not.toBe(failed('eu', 'no such kind'));
  });
});
