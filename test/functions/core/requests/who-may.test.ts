import { describe, expect, test } from 'vitest';
import { PersonRequest } from '../../../../functions/core/requests/request.ts';
import { mayAsk, type Requester } from '../../../../functions/core/requests/who-may.ts';

const kinds: readonly PersonRequest['kind'][] = [
  'hold',
  'resume',
  'freeze',
  'thaw',
  'emergency',
  'acknowledge',
  'snooze',
  'recheck',
  'freeze-here',
  'approve',
  'revoke',
];
const target = {
  kind: 'slack',
  name: 'ops',
  channel: 'C1',
  filter: { clusters: [], pools: [], severities: [], causes: [] },
};
const alerts: Parameters<typeof mayAsk>[2] = {
  targets: [{ ...target, kind: 'slack' as const, tokenSecret: 'token', apiUrl: 'https://slack.com/api' }],
  slackButtons: { signingSecret: 's', team: 'T1', users: ['U1'], mayFreeze: [], acknowledgeForSeconds: 3600 },
};
const pressed: Requester = { surface: 'slack', who: 'alice', user: 'U1', workspaces: ['T1'], channel: 'C1' };

describe('who may ask for what', () => {
  test.each([
    ['kubernetes', ['hold', 'resume', 'freeze', 'thaw', 'emergency']],
    ['queue', ['acknowledge', 'snooze', 'recheck', 'approve', 'revoke']],
  ] as const)('on %s: %s', (surface, allowed) => {
    expect(kinds.filter((kind) => mayAsk(kind, { surface, who: 'alice' }, alerts).kind === 'allowed')).toEqual(allowed);
  });

  test('[C-6] nothing that changes a cluster by itself is asked for in Slack', () => {
    expect(kinds.filter((kind) => mayAsk(kind, pressed, alerts).kind === 'allowed')).toEqual([
      'acknowledge',
      'snooze',
      'recheck',
      'approve',
      'revoke',
    ]);
  });

  test('[N-21] a freeze, which makes safer, is asked for in Slack by people who are listed for it, and by nobody else', () => {
    const listing = (mayFreeze: readonly string[], users: readonly string[] = []) => ({
      ...alerts,
      slackButtons: alerts.slackButtons && { ...alerts.slackButtons, users, mayFreeze },
    });

    expect(mayAsk('freeze-here', pressed, listing(['U1'])).kind).toBe('allowed');
    expect(mayAsk('freeze-here', pressed, listing(['U2'], ['U1'])).kind).toBe('refused');
    expect(mayAsk('freeze-here', { ...pressed, workspaces: ['T2'] }, listing(['U1'])).kind).toBe('refused');
    expect(mayAsk('freeze-here', { ...pressed, channel: 'C2' }, listing(['U1'])).kind).toBe('refused');
    for (const kind of ['freeze', 'thaw', 'emergency'] as const)
      expect(mayAsk(kind, pressed, listing(['U1'])).kind).toBe('refused');
  });

  test.each([
    ['another workspace', { ...pressed, workspaces: ['T2'] }, alerts],
    ['a channel that is no target', { ...pressed, channel: 'C2' }, alerts],
    ['a person who is not on the list', { ...pressed, user: 'U2' }, alerts],
    ['buttons that are not switched on', pressed, { ...alerts, slackButtons: undefined }],
  ] as const)('%s is refused', (_name, requester, settings) => {
    expect(mayAsk('acknowledge', requester, settings).kind).toBe('refused');
  });
});

describe('a request', () => {
  test.each([
    ['hold', { pool: '', forSeconds: 60, reason: 'a reason' }, 'pool'],
    ['hold', { pool: 'worker', forSeconds: 700_000, reason: 'a reason' }, 'forSeconds'],
    ['hold', { pool: 'worker', forSeconds: 60, reason: '  a ' }, 'reason'],
    ['resume', { pool: 'worker', reason: 'x'.repeat(301) }, 'reason'],
    ['acknowledge', { incident: 0, forSeconds: 60, reason: '' }, 'incident'],
    ['snooze', { incident: 1, forSeconds: 59, reason: '' }, 'forSeconds'],
  ])('%s: %j is refused for its %s', (kind, fields, field) => {
    const parsed = PersonRequest.safeParse({ kind, ...fields });

    expect(parsed.error?.issues.map(({ path }) => path[0])).toEqual([field]);
  });

  test('has a reason of one line', () => {
    expect(PersonRequest.parse({ kind: 'resume', pool: 'worker', reason: ' CVE\n\tfix ' })).toMatchObject({
      reason: 'CVE fix',
    });
  });
});
