import { describe, expect, test } from 'vitest';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import { Ticket, ticketUrl } from '../../../../functions/core/configuration/ticket.ts';
import { askGates } from '../../../../functions/core/gates/ask-gates.ts';
import { type Evidence, noEvidence } from '../../../../functions/core/gates/evidence.ts';
import type { GateQuestion } from '../../../../functions/core/gates/gate.ts';
import { gates } from '../../../../functions/core/gates/index.ts';
import { ticket } from '../../../../functions/core/gates/ticket.ts';
import { seen, unreadable } from '../../../../functions/core/text/observed.ts';
import { aPool } from '../../../fakes/index.ts';
import { fc } from '../../../property.ts';
import { aGateQuestion } from './a-gate-question.ts';

const pool = aPool({ paused: true, target: { name: 'rendered-worker-bbb', sources: [] } });
const wanted = Ticket.parse({
  url: 'https://itsm.example.com/change/{pool}?config={config}',
  path: 'result.state',
  oneOf: ['approved', 'implementing'],
});

function question(answer: Evidence['ticket'], change: Partial<GateQuestion> = {}): GateQuestion {
  return aGateQuestion({
    pool,
    settings: { ...defaultPoolSettings, ticket: wanted },
    evidence: { ...noEvidence, ticket: answer },
    now: new Date('2026-03-02T10:10:00Z'),
    ...change,
  });
}

function why(asked: GateQuestion): string {
  const answer = ticket.ask(asked);
  return answer.open ? 'open' : answer.why;
}

describe('ticket', () => {
  test.each([
    [200, 'approved', 'open'],
    [200, 'implementing', 'open'],
    [
      200,
      'Approved',
      'its ticket at itsm.example.com says result.state = Approved, not result.state = approved or implementing',
    ],
    [
      200,
      undefined,
      'its ticket at itsm.example.com says nothing at result.state, not result.state = approved or implementing',
    ],
    [404, 'approved', 'its ticket at itsm.example.com says status 404, not result.state = approved or implementing'],
    [302, undefined, 'its ticket at itsm.example.com says status 302, not result.state = approved or implementing'],
  ])('[N-17] that answers %j with %j: %s', (status, value, expected) => {
    expect(why(question(seen({ status, value })))).toBe(expected);
  });

  test('[N-17] without a place to compare, the status decides', () => {
    const plain = { ...defaultPoolSettings, ticket: Ticket.parse({ url: 'https://itsm.example.com', status: 204 }) };

    expect(why(question(seen({ status: 204, value: undefined }), { settings: plain }))).toBe('open');
    expect(why(question(seen({ status: 200, value: undefined }), { settings: plain }))).toContain(
      'status 200, not status 204',
    );
  });

  test('[N-17] that cannot be read keeps the pool paused, and says so', () => {
    expect(why(question(unreadable('itsm.example.com did not answer: no answer in time')))).toBe(
      'its ticket could not be read: itsm.example.com did not answer: no answer in time',
    );
  });

  test('[N-17] is not asked where nothing is pending, where none is configured, and while another gate is closed', () => {
    const idle = aPool({ paused: true });
    const denied = {
      kind: 'deny',
      from: '2026-03-01',
      to: '2026-03-04',
      timeZone: 'UTC',
      pools: [],
      labels: {},
    } as const;

    expect(why(question(noEvidence.ticket, { pool: { ...idle, target: idle.current } }))).toBe('open');
    expect(why(question(noEvidence.ticket, { settings: defaultPoolSettings }))).toBe('open');
    expect(askGates([ticket], question(noEvidence.ticket)).lacking).toBe('ticket');
    expect(askGates(gates, question(noEvidence.ticket, { windows: [denied] })).lacking).toBeUndefined();
  });

  test('[N-17] what it says cannot steer a terminal or fill a message', () => {
    const text = why(question(seen({ status: 200, value: `\u001b[31m${'x'.repeat(200)}\nresult.state = approved` })));

    expect(text).not.toContain('\u001b');
    expect(text).not.toContain('\n');
    expect(text.length).toBeLessThan(200);
  });

  test('[N-17] no answer but the expected one opens it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), fc.option(fc.string(), { nil: undefined }), (status, value) => {
        const isRight = status === 200 && (value === 'approved' || value === 'implementing');
        expect(why(question(seen({ status, value }))) === 'open').toBe(isRight);
      }),
    );
  });
});

describe('the address of a ticket', () => {
  test('[N-17] has the names of what it is asked for, each in its own part', () => {
    const names = { cluster: 'prod', pool: 'a/../b?c=d#e', config: 'rendered-worker-{pool}' };

    expect(ticketUrl(wanted, names)).toBe(
      'https://itsm.example.com/change/a%2F..%2Fb%3Fc%3Dd%23e?config=rendered-worker-%7Bpool%7D',
    );
  });

  test.each([
    'http://itsm.example.com/',
    'https://{pool}.example.com/',
    'https://itsm.example.com:{pool}/',
    'https://user:password@itsm.example.com/',
    'https://itsm.example.com/#a',
    'https://itsm.example.com/{other}',
    'https://169.254.169.254/latest',
    'https://metadata.google.internal/',
    'ftp://itsm.example.com/',
    'itsm.example.com',
  ])('[N-17] %s is refused', (url) => {
    expect(Ticket.safeParse({ url }).success).toBe(false);
  });
});
