import { afterEach, describe, expect, test } from 'vitest';
import { composeMessage } from '../../../../functions/core/alerts/message/compose-message.ts';
import { tellingLines } from '../../../../functions/core/diagnose/logs/log-lines.ts';
import { logPath } from '../../../../functions/core/diagnose/logs/read-log.ts';
import type { Finding } from '../../../../functions/core/findings/trouble.ts';
import { Transient } from '../../../../functions/core/text/errors.ts';
import { anIncident } from '../../../fakes/builders.ts';
import { quietWorkers, type VirtualCluster } from '../../../local/openshift/virtual-cluster.ts';
import { type StoryLab, storyLab } from '../../keep-pools/node-rollout-lab.ts';

const klog = (severity: string, time: string, text: string) =>
  `${severity}0302 ${time}.123456    2345 daemon.go:99] ${text}`;

describe('the lines of a log', () => {
  test('[S1-11] warnings and errors are chosen, a retry once, the newest last', () => {
    const log = [
      klog('I', '10:00:00', 'Starting to manage node: worker-1'),
      klog('E', '10:00:01', 'Marking Degraded due to: no space left on device'),
      klog('W', '10:00:02', 'Failed to pull, retrying'),
      klog('E', '10:01:01', 'Marking Degraded due to: no space left on device'),
      klog('I', '10:01:02', 'disk usage is fine'),
    ].join('\n');

    expect(tellingLines(log)).toEqual([
      'W 10:00:02 Failed to pull, retrying',
      'E 10:01:01 Marking Degraded due to: no space left on device',
    ]);
  });

  test('[S1-11] where nothing tells of a failure the last lines are shown', () => {
    const log = Array.from({ length: 20 }, (_, index) => klog('I', '10:00:00', `step ${index}`)).join('\n');

    expect(tellingLines(log)).toEqual(Array.from({ length: 5 }, (_, index) => `I 10:00:00 step ${index + 15}`));
  });

  test('[S1-11] of the controller only what speaks of the node', () => {
    const log = [
      klog('E', '10:00:01', 'node worker-1: drain failed'),
      klog('E', '10:00:02', 'node worker-2: drain failed'),
    ].join('\n');

    expect(tellingLines(log, 'worker-2')).toEqual(['E 10:00:02 node worker-2: drain failed']);
  });

  test('[S1-11] is bounded, however much a daemon says', () => {
    const log = Array.from({ length: 500 }, (_, index) => klog('E', '10:00:00', `${index} ${'x '.repeat(4000)}`)).join(
      '\n',
    );

    const lines = tellingLines(log);

    expect(lines).toHaveLength(5);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(320);
  });

  test.each([
    ['what files hold', 'content mismatch for file "/etc/x" (-want +got): password=hunter2hunter2', 'hunter2'],
    ['a bearer token', 'request failed: Authorization: Bearer abcdefghijklmnop', 'abcdefghijklmnop'],
    ['the password of a URL', 'failed to pull https://user:hunter2pass@registry.example.com/os', 'hunter2pass'],
    ['a pull secret', 'error decoding {"auths":{"registry":{"auth":"c2VjcmV0c2VjcmV0"}}}', 'c2VjcmV0'],
    ['a setting with a telling name', 'failed: proxy_password=hunter2hunter2', 'hunter2'],
    [
      'a long run of random characters',
      'failed with key 9fXk2LmQ8vRt4YzB7nWc1HdS5jGpAeUo',
      '9fXk2LmQ8vRt4YzB7nWc1HdS5jGpAeUo',
    ],
    ['what skopeo is given', 'error: skopeo copy --creds user:hunter2 docker://a failed', 'hunter2'],
    ['what skopeo is given for one side', 'error: skopeo copy --dest-creds=user:hunter2 a', 'hunter2'],
    ['what podman logs in with', 'failed: podman login -u admin -p hunter2 quay.io', 'hunter2'],
    ['the password of an address without a scheme', 'failed to pull user:hunter2@quay.io/x', 'hunter2'],
    ['a hash of a password', 'failed: root has $6$salt$hunter2 instead', 'hunter2'],
    ['a line of shadow', 'failed: root:$y$j9T$abc$hunter2:1:2', 'hunter2'],
    ['a hash of LDAP', 'failed: {SSHA}hunter2hunter2==', 'hunter2'],
    ['the signature of a URL', 'failed: https://blob.example/x?sv=1&sig=hunter2', 'hunter2'],
  ])('[S1-11] [N-30] %s does not come along', (_, text, secret) => {
    const [line = ''] = tellingLines(klog('E', '10:00:00', text));

    expect(line).not.toBe('');
    expect(line).not.toContain(secret);
  });

  test('[S1-11] images, digests and options with no secret behind them come along', () => {
    const text = 'failed: podman run -p 8080:80 quay.io/a/b:v4@sha256:0123abcd, exit status $? of $6';

    expect(tellingLines(klog('E', '10:00:00', text))).toEqual([`E 10:00:00 ${text}`]);
  });

  test('[S1-11] the further lines of a message, which hold differences of files, are left out', () => {
    const log = [
      klog('E', '10:00:00', 'content mismatch for file "/etc/shadow" (-want +got):'),
      '  bytes.Join({',
      '-   "root:$6$secretsalt$verysecret:18000:0:99999:7:::",',
      '+ I0302 10:00:00 not a head password=hunter2',
      klog('E', '10:00:01', 'degraded'),
    ].join('\n');

    expect(tellingLines(log)).toEqual([
      'E 10:00:00 content mismatch for file "/etc/shadow" (what differs is left out)',
      'E 10:00:01 degraded',
    ]);
  });

  test('a text that is no log of the MCO gives no line', () => {
    expect(tellingLines('<html>504 Gateway Timeout</html>\n{"kind":"Status"}')).toEqual([]);
  });
});

const opened: StoryLab[] = [];

afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

async function degraded(): Promise<{ readonly lab: StoryLab; readonly cluster: VirtualCluster }> {
  const cluster = await quietWorkers(2, 1);
  await cluster.clock.advance(60_000);
  const lab = await storyLab(cluster);
  opened.push(lab);
  cluster.daemons.drift('worker-1', 'content mismatch for file "/etc/chrony.conf"');
  return { lab, cluster };
}

function linesOf({ world }: StoryLab): readonly string[] {
  const findings = world.tables.incidents.all().flatMap(({ trouble }) => trouble?.findings ?? []);
  return findings.flatMap(({ evidence }: Finding) =>
    evidence.filter(({ path }) => path === logPath).map(({ value }) => value),
  );
}

test('[S1-11] the lines of the config daemon come with the incident and its message, from the pod of the failing node', async () => {
  const { lab } = await degraded();

  await lab.until(() => lab.world.tables.incidents.all().length > 0, { everySeconds: 30 });

  const [line, ...others] = linesOf(lab).toReversed();
  expect(line).toMatch(/^E [\d:]{8} Marking Degraded due to: unexpected on-disk state/);
  expect(others.length).toBeLessThan(5);
  const [incident] = lab.world.tables.incidents.all();
  const context = { now: new Date(), occasion: 'opened', statusUrl: undefined, product: 'poolkeeper' } as const;
  const { evidence } = composeMessage(incident ?? anIncident(), context);
  expect(evidence.slice(0, 8).join('\n')).toContain('Marking Degraded due to: unexpected on-disk state');
  const asked = lab.calls().filter((path) => path.endsWith('/log'));
  expect(asked[0]).toMatch(
    /^\/api\/v1\/namespaces\/openshift-machine-config-operator\/pods\/machine-config-daemon-\w+\/log$/,
  );
});

test('[S1-11] where the right was not given, that is said once and the cause stays as sure as it was', async () => {
  const { lab } = await degraded();
  const { reader } = await lab.ports.cluster('prod');
  const { read } = reader;
  reader.read = async (question) =>
    question.path.endsWith('/log')
      ? { kind: 'failed', why: new Transient('403').message, readAt: new Date(), isForbidden: true }
      : read(question);

  await lab.until(() => lab.world.tables.incidents.all().length > 0, { everySeconds: 30 });

  expect(linesOf(lab)).toEqual([
    'not read: Poolkeeper was not given the right (poolkeeper doctor prints the command that grants it)',
  ]);
  const [incident] = lab.world.tables.incidents.all();
  expect(incident?.trouble?.findings[0]).toMatchObject({ code: 'N1', confidence: 'likely' });
  expect(incident?.staleSince).toBeUndefined();
});
