import { simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { liveScript } from '../../functions/status/page/live.ts';
import { pushPayload } from '../../local/openshift/argocd/push-payload.ts';
import { machineConfigManifest } from '../../local/openshift/machine-config/machine-config-manifest.ts';
import { type ProductLab, startProductLab, type Writing } from './product-lab.ts';

/** Names that no Kubernetes takes and only a hostile API server tells, and a text that any tenant may write. */
const hostile = {
  'node-to-rename': 'worker"><img src=x onerror=alert(1)>\u202Eknip\u0007',
  'pod-to-rename': 'web`<!channel> *b* <https://evil.example|click>',
  'budget-to-rename': '</style><script>alert(1)</script>\u2066\u001B[31m',
  'app-to-rename': '<@U0123456>\r\nBcc: evil@example.com\r\n\r\n<b>',
} as const;

const reason = 'broken <script>alert(2)</script> <!here> \u202E\u001B[2J\r\nX-Injected: yes';

let lab: ProductLab;
let written: readonly Writing[] = [];

beforeAll(async () => {
  const names = [
    'github',
    'githubToken',
    'argocd',
    'cluster',
    'handshake',
    'slack',
    'smtpPassword',
    'slackSigning',
    'pagerDuty',
    'hookBearer',
    'hookSigning',
    'bearer',
  ] as const;
  const secrets = Object.fromEntries(names.map((name) => [name, `the-${name}-secret`]));
  lab = await startProductLab(secrets as Record<(typeof names)[number], string>, hostile);
  await play(lab);
  written = await lab.everythingWritten();
}, 900_000);

afterAll(() => lab?.stop());

/** A push whose rollout meets a drain that is blocked and a node that fails, all of them with these names. */
async function play({ openshift, deliveries }: ProductLab): Promise<void> {
  openshift.addPool({ name: 'worker', maxUnavailable: 2 });
  openshift.addNodes({ pool: 'worker', names: ['node-to-rename'], labels: { disk: 'ssd' } });
  openshift.addNodes({ pool: 'worker', names: ['worker-2'] });
  const web = { namespace: 'shop', name: 'pod-to-rename', replicas: 2, nodeSelector: { disk: 'ssd' } };
  openshift.deploy(web);
  const matchLabels = { app: 'pod-to-rename' };
  openshift.addDisruptionBudget({ namespace: 'shop', name: 'budget-to-rename', minAvailable: 2, matchLabels });
  openshift.daemons.failUpdates('worker-2', { stage: 'apply', reason });

  const file = (server: string) =>
    JSON.stringify(machineConfigManifest('99-worker-chrony', 'worker', { '/etc/chrony.conf': server }));
  const repository = openshift.git.createRepository({
    owner: 'acme',
    name: 'platform',
    files: { 'mc/chrony.json': file('one') },
  });
  openshift.createApplication({
    name: 'app-to-rename',
    repoURL: repository.cloneUrl,
    path: 'mc',
    automated: {},
    labels: { 'poolkeeper.dev/watch': 'true' },
  });
  const payload = pushPayload(repository.push({ message: 'two', files: { 'mc/chrony.json': file('two') } }));
  await deliveries.push(payload);
  openshift.argocd.receivePush(payload);
  const kinds = () =>
    lab.told.flatMap((event) => (event.type === 'poolkeeper.incident.opened.v1' ? [event.data.kind] : []));
  await lab.until('a blocked drain', () => kinds().includes('drain-blocked'));
  await lab.until('a degraded node', () => kinds().includes('node-degraded'));
  await lab.until('the messages of both', async () => {
    const outbox = (await lab.everythingWritten()).find(({ where }) => where === 'outbox')?.text ?? '';
    const isInSlack = JSON.stringify(lab.slack.calls).includes('onerror');
    return outbox.includes('onerror') && isInSlack && lab.mails.length > 1;
  });
  await lab.ask('/status', { headers: { accept: 'text/html' } });
}

function textOf(where: string): string {
  return written.find((each) => each.where === where)?.text ?? '';
}

/** Everything of the type anywhere in a JSON value. */
function textsOfType(value: unknown, type: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => textsOfType(each, type));
  if (typeof value !== 'object' || value === null) return [];
  const own = 'type' in value && value.type === type && 'text' in value ? [String(value.text)] : [];
  return [...own, ...Object.values(value).flatMap((each) => textsOfType(each, type))];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these must be gone
const unreadable = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2066-\u2069]/u;

describe('hostile names and texts, through the whole product', () => {
  test('reach people, so that they see what there is', () => {
    expect(textOf('HTTP answer')).toContain('&lt;img src=x onerror=alert(1)&gt;');
    expect(textOf('outbox')).toContain('onerror');
  });

  test('make no element and no attribute of the status page', () => {
    const page = textOf('HTTP answer')
      .replace(/<style>[\s\S]*?<\/style>/, '')
      .replace(`<script>${liveScript}</script>`, '');
    const tags = page.match(/<\/?[a-z][^<>]*>/gi) ?? [];

    expect(tags.length).toBeGreaterThan(50);
    expect(tags.filter((tag) => /^<(?:script|img|base|iframe)|\son\w+=/i.test(tag))).toEqual([]);
    expect(page).not.toMatch(unreadable);
  });

  test('make no mention, no link and no markup in Slack', () => {
    const bodies = lab.slack.calls.map(({ body }) => body);
    const ownDates = /<!date\^\d+\^[^<>]*\|[\w: -]*>/g;
    const marked = [...textsOfType(bodies, 'mrkdwn'), ...bodies.map((body) => String(body['text'] ?? ''))].map((text) =>
      text.replace(ownDates, ''),
    );

    expect(marked.length).toBeGreaterThan(5);
    expect(marked.filter((text) => /<[!@#]|<https:\/\/evil/.test(text))).toEqual([]);
    expect(marked.filter((text) => unreadable.test(text))).toEqual([]);
    expect(textsOfType(bodies, 'plain_text').filter((text) => unreadable.test(text))).toEqual([]);
  });

  test('make no header, no receiver and no element of a mail', async () => {
    for (const raw of lab.mails) {
      const mail = await simpleParser(raw);
      const head = raw.slice(0, raw.indexOf('\r\n\r\n'));

      expect(head).not.toMatch(/^(?:bcc|x-injected):/im);
      expect(mail.bcc).toBeUndefined();
      expect(mail.to).toMatchObject({ text: 'ops@example.com' });
      expect(String(mail.html)).not.toMatch(/<(?:script|img)\b/i);
      expect(`${mail.subject}${mail.text}${String(mail.html)}`).not.toMatch(unreadable);
    }
  });

  test('make no line of a log', () => {
    const lines = lab.logs.flatMap((line) => line.split('\n')).filter(Boolean);

    expect(lines.filter((line) => !/^\d\d:\d\d:\d\d|^\{"level"/.test(line))).toEqual([]);
    expect(lines.filter((line) => unreadable.test(line))).toEqual([]);
  });
});
