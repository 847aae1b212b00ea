import { describe, expect, test } from 'vitest';
import { audienceOf, type Waiting } from '../../../../functions/core/alerts/targets.ts';
import type { AlertFilter, AlertSettings } from '../../../../functions/core/configuration/alerts.ts';
import type { Trouble } from '../../../../functions/core/findings/trouble.ts';
import { aTrouble } from '../../../fakes/index.ts';
import { drainBlocked } from './samples.ts';

const all: AlertFilter = { clusters: [], pools: [], severities: [], causes: [] };
const trouble = aTrouble();

function isWanted(filter: AlertFilter, wrong: Trouble): boolean {
  const alerts: AlertSettings = { statusUrl: undefined, targets: [{ kind: 'outbox', name: 'team', filter }] };
  return audienceOf(alerts, wrong).hear.includes('team');
}

describe('who hears of a trouble', () => {
  test.each([
    ['an empty filter lets everything through', all, true],
    ['its cluster', { ...all, clusters: ['prod', 'test'] }, true],
    ['another cluster', { ...all, clusters: ['test'] }, false],
    ['its pool', { ...all, pools: ['worker'] }, true],
    ['another pool', { ...all, pools: ['infra'] }, false],
    ['its severity', { ...all, severities: ['high'] }, true],
    ['another severity', { ...all, severities: ['critical'] }, false],
    ['its cluster but another pool', { ...all, clusters: ['prod'], pools: ['infra'] }, false],
  ] satisfies [string, AlertFilter, boolean][])('%s', (_name, filter, wanted) => {
    expect(isWanted(filter, trouble)).toBe(wanted);
  });

  test('what concerns a whole cluster concerns each of its pools', () => {
    const blind = aTrouble({ key: { cluster: 'prod', pool: '*', kind: 'watcher-blind' } });

    expect(isWanted({ ...all, pools: ['infra'] }, blind)).toBe(true);
  });

  test('its root cause decides, and nothing on the way to it', () => {
    expect(isWanted({ ...all, causes: ['N1', 'self-deadlock'] }, drainBlocked)).toBe(true);
    expect(isWanted({ ...all, causes: ['P3'] }, drainBlocked)).toBe(false);
  });

  test('what has no known cause passes no list of causes', () => {
    expect(isWanted({ ...all, causes: ['P3'] }, aTrouble({ findings: [] }))).toBe(false);
  });

  test('whoever stands higher on the ladder hears of it when nobody has taken it for so long', () => {
    const alerts: AlertSettings = {
      statusUrl: undefined,
      targets: [
        { kind: 'outbox', name: 'team', filter: all },
        { kind: 'outbox', name: 'lead', filter: all, escalateAfterSeconds: 1800 },
      ],
    };
    const hear = (waiting: Waiting) => audienceOf(alerts, trouble, waiting).hear;

    expect(hear({})).toEqual(['team']);
    expect(hear({ openForSeconds: 1799 })).toEqual(['team']);
    expect(hear({ openForSeconds: 1800 })).toEqual(['team', 'lead']);
    expect(hear({ openForSeconds: 9999, attended: true })).toEqual(['team']);
    expect(audienceOf(alerts, trouble, { openForSeconds: 1800 }).escalatedTo).toEqual(['lead']);
  });

  test('names those who hear and those who exist', () => {
    const alerts: AlertSettings = {
      statusUrl: undefined,
      targets: [
        { kind: 'outbox', name: 'everything', filter: all },
        { kind: 'outbox', name: 'pages', filter: { ...all, severities: ['critical'] } },
      ],
    };

    expect(audienceOf(alerts, trouble)).toEqual({ hear: ['everything'], all: ['everything', 'pages'] });
  });
});
