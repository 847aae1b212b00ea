import { describe, expect, test } from 'vitest';
import { openingOf } from '../../../../functions/core/alerts/joint.ts';
import { defaultPolicy } from '../../../../functions/core/configuration/policy.ts';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Finding, TroubleKind } from '../../../../functions/core/findings/trouble.ts';
import { sayingWhatIsCommon } from '../../../../functions/core/judge/common-cause.ts';
import { judge } from '../../../../functions/core/judge/judge.ts';
import { makeTrouble } from '../../../../functions/core/judge/make-trouble.ts';
import { notAsked } from '../../../../functions/core/text/observed.ts';
import { aCondition, aPool } from '../../../fakes/builders.ts';
import { keepLab } from '../../keep-pools/keep-lab.ts';
import { look } from '../diagnose/look.ts';
import {
  aLiveNode,
  aRollingPool,
  aWorld,
  type Json,
  minutesAgo,
  newConfig,
  nodeSubject,
  poolSubject,
} from '../diagnose/world.ts';
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

/** A pool that cannot be rendered since ten minutes, and these MachineConfigs. */
async function unrendered(cluster: string, error: string, machineConfigs: readonly Json[]) {
  const message = `Failed to render configuration for pool worker: ${error}`;
  const condition = aCondition({ type: 'RenderDegraded', status: 'True', since: minutesAgo(10), message });
  const world = aWorld({ machineConfigs });
  const pool = aPool({ name: 'worker', conditions: [condition] });
  const { findings } = await look(world, poolSubject(world, 'render', pool));
  return called(cluster, 'worker', findings, 'render-failed');
}

function pushed(name: string, minutes: number): Json {
  const labels = { 'machineconfiguration.openshift.io/role': 'worker' };
  return { metadata: { name, labels, creationTimestamp: minutesAgo(minutes) } };
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

  test('[N-18] [N-30] is no cause of several where a pass tells who or what keeps a pool paused', async () => {
    const lab = keepLab();
    const pausedBy = { manager: 'kubectl-patch', at: '2026-03-01T09:00:00Z' };
    const target = { name: 'rendered-worker-bbb', sources: ['99-worker-ssh'] };
    lab.world.pools.put(aPool({ name: 'worker', paused: true, pausedBy, target }));
    for (let hour = 0; hour < 30; hour += 1) await lab.pass(3600);

    const told = lab.world.tables.incidents.all().find(({ key }) => key.kind === 'paused-too-long');

    expect(told?.trouble?.findings).toMatchObject([{ because: [{ code: 'S6', subject: { kind: 'pause' } }] }]);
    expect(told && openingOf(told, told.trouble, now)?.cause).toBeUndefined();
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

  test.each([
    ['R0', 'something new went wrong'],
    ['R5', 'rendered MachineConfig rendered-worker-ccc is too large (2000000 bytes, max 1572864 bytes)'],
    ['R6', 'cannot override MachineConfig osImageURL and set MachineConfigPool spec.osImageStream.name simultaneously'],
    ['R7', 'MachineConfigPool worker targets a RHEL 10 OS image where runc is not available'],
    ['R8', 'ignoring MC 99-worker-x generated by older version 4.16.1 (my version: 4.17.0)'],
  ])('[N-18] [N-30] is one cause where one MachineConfig was pushed to all of them: %s', async (_, error) => {
    const one = await unrendered('eu', error, [pushed('99-worker-x', 10.3)]);

    expect(one).toContain('MachineConfig');
    expect(await unrendered('us', error, [pushed('99-worker-x', 10.2)])).toBe(one);
    expect(await unrendered('us', error.replace('99-worker-x', '99-worker-y'), [pushed('99-worker-y', 10.3)])).not.toBe(
      one,
    );
  });

  test('[N-18] [N-30] is one cause where the suspects were written in another order', async () => {
    const error = 'parsing Ignition config failed: unknown version';
    const one = await unrendered('eu', error, [pushed('99-worker-a', 10.3), pushed('99-worker-b', 10.2)]);

    expect(one).toBeDefined();
    expect(await unrendered('us', error, [pushed('99-worker-a', 10.2), pushed('99-worker-b', 10.3)])).toBe(one);
    expect(await unrendered('us', error, [pushed('99-worker-a', 10.2), pushed('99-worker-c', 10.3)])).not.toBe(one);
  });

  test('[N-18] [N-30] is each cluster its own where the MCO is being upgraded', async () => {
    const error = 'ignoring controller config version 4.16.1 generated by older version (my version: 4.17.0)';

    expect(await unrendered('eu', error, [])).toBeUndefined();
  });

  test.each([
    ['N30', 'failed to update kernel arguments: error running rpm-ostree kargs: error: No key hugepagesz found'],
    ['N10', 'error running systemctl restart crio.service: Job for crio.service failed'],
    ['N34', 'could not update SSH keys: failed to write authorized_keys for user core'],
    [
      'N32',
      'failed to update OS to quay.io/x: error running rpm-ostree rebase: error: loading auth file /var/lib/kubelet/config.json: unexpected end of JSON input',
    ],
  ])('[N-18] [N-30] is one cause where their nodes give the same error: %s', async (_, error) => {
    const one = await degraded('eu', [error]);

    expect(one).toBeDefined();
    expect(await degraded('us', [error])).toBe(one);
  });

  test('[N-18] [N-30] is not one cause where an error is long and only its end is another', async () => {
    const refused = (registry: string, why: string) =>
      `failed to update OS to ${registry}/ocp/release@sha256:${'a'.repeat(64)}: error running rpm-ostree rebase --experimental ostree-unverified-registry:${registry}/ocp/release@sha256:${'a'.repeat(64)}: error: Creating importer: failed to invoke method OpenImage: failed to invoke method OpenImage: pinging container registry ${registry}: Get "https://${registry}/v2/": ${why}`;
    const untrusted =
      'tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "crypto/rsa: verification error" while trying to verify candidate authority certificate "example.com")';
    const unknown =
      'dial tcp: lookup quay.io on 10.0.0.2:53: no such host; and the second attempt, by the mirror registry.example.com, which is configured for it, was answered by 503 Service Unavailable';
    const one = await degraded('eu', [refused('mirror.eu.example.com', untrusted)]);

    expect(one).toBeDefined();
    expect(await degraded('us', [refused('mirror.eu.example.com', untrusted)])).toBe(one);
    expect(await degraded('us', [refused('quay.io', unknown)])).not.toBe(one);
  });

  test('[N-18] [N-30] is one cause from whatever address of IPv6 a registry is asked', async () => {
    const timeout = (from: string) =>
      `failed to update OS to quay.io/x: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp: lookup quay.io on [${from}]:53: read udp [${from}]:40123->[${from}]:53: i/o timeout`;
    const one = await degraded('eu', [timeout('fd00:1::a')]);

    expect(one).toBeDefined();
    expect(await degraded('us', [timeout('fd00:2::b')])).toBe(one);
  });

  test('[N-18] [N-30] is one cause by the object that is named, also of what is only possible', () => {
    const found = finding({
      code: 'P8',
      subject: ref('PodDisruptionBudget', 'db', 'shop'),
      sentence: 'The operator of db blocks on purpose.',
      confidence: 'possible',
      class: 'external',
    });

    expect(called('eu', 'worker', [found])).toBeDefined();
    expect(called('us', 'infra', [found])).toBe(called('eu', 'worker', [found]));
  });
});

describe('what lies before several clusters', () => {
  const unread = (cluster: string, misses: number, why: string) => {
    const judgement = judge({
      cluster,
      now,
      policy: defaultPolicy,
      pools: { kind: 'unreadable', why },
      everyNode: notAsked,
      rollouts: notAsked,
      known: notAsked,
      breakGlass: notAsked,
      firstSeen: {},
      diagnoses: new Map(),
      applications: [],
      races: [],
      misses,
      lastGoodReadAt: undefined,
      unreadable: [],
      sweep: { since: undefined, triedUntil: undefined },
    });
    return called(cluster, '*', the('watcher-blind', judgement).findings, 'watcher-blind');
  };

  test('[N-18] [N-30] is one cause where their API servers are refused alike, however often it was tried', () => {
    const proxy = (address: string) =>
      `machineconfigpools: proxyconnect tcp: dial tcp ${address}: connect: connection refused`;
    const one = unread('eu', 5, proxy('10.0.0.9:3128'));

    expect(one).toBeDefined();
    expect(unread('us', 7, proxy('[fd00::9]:3128'))).toBe(one);
    expect(unread('us', 5, 'machineconfigpools: 401 Unauthorized')).not.toBe(one);
  });
});
