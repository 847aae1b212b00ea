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
  'steer-sequence',
  'steer-run',
  'look',
];
const target = {
  kind: 'slack',
  name: 'ops',
  channel: 'C1',
  filter: { clusters: [], pools: [], severities: [], causes: [] },
};
const alerts: Parameters<typeof mayAsk>[2] = {
  targets: [{ ...target, kind: 'slack' as const, tokenSecret: 'token', apiUrl: 'https://slack.com/api' }],
  slackButtons: {
    signingSecret: 's',
    team: 'T1',
    users: ['U1'],
    mayFreeze: [],
    mayResume: [],
    maySteer: [],
    acknowledgeForSeconds: 3600,
  },
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
      'look',
    ]);
  });

  test('[S2-10] [C-6] a sequence is steered in Slack by people who are listed for it, and by nobody else', () => {
    const listing = (maySteer: readonly string[], users: readonly string[] = []) => ({
      ...alerts,
      slackButtons: alerts.slackButtons && { ...alerts.slackButtons, users, maySteer },
    });

    expect(mayAsk('steer-sequence', pressed, listing(['U1'])).kind).toBe('allowed');
    expect(mayAsk('steer-sequence', pressed, listing(['U2'], ['U1'])).kind).toBe('refused');
    expect(mayAsk('steer-sequence', { ...pressed, workspaces: ['T2'] }, listing(['U1'])).kind).toBe('refused');
    expect(mayAsk('steer-sequence', { ...pressed, channel: 'C2' }, listing(['U1'])).kind).toBe('refused');
    expect(mayAsk('steer-sequence', { surface: 'queue', who: 'alice' }, listing(['U1'])).kind).toBe('refused');
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
    for (const kind of ['thaw', 'resume', 'emergency'] as const)
      expect(mayAsk(kind, pressed, listing(['U1'])).kind).toBe('refused');
  });

  test.each([
    ['mayFreeze', ['hold', 'freeze', 'freeze-here']],
    ['mayResume', ['resume', 'thaw']],
    ['maySteer', ['steer-sequence', 'steer-run']],
  ] as const)('[N-34] [C-6] %s lets listed people ask for %j in Slack, and for nothing else', (list, allowed) => {
    const slackButtons = alerts.slackButtons && { ...alerts.slackButtons, users: ['U1', 'U2'], [list]: ['U1'] };
    const changing = kinds.slice(0, 5).concat('freeze-here', 'steer-sequence', 'steer-run');
    const may = (asker: Requester) =>
      changing.filter((kind) => mayAsk(kind, asker, { ...alerts, slackButtons }).kind === 'allowed');

    expect(may(pressed)).toEqual(allowed);
    expect(may({ ...pressed, user: 'U2' })).toEqual([]);
    expect(may({ ...pressed, channel: 'C2' })).toEqual([]);
    expect(may({ ...pressed, workspaces: ['T2'] })).toEqual([]);
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
