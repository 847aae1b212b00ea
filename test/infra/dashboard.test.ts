import { describe, expect, it } from 'vitest';
import { stage } from './synthesised.ts';

/** The page as CloudWatch gets it; what CloudFormation fills in is left as `?`. */
function page(): { readonly widgets: readonly Widget[] } {
  const [board, ...more] = stage('prod').ofType('AWS::CloudWatch::Dashboard');
  expect(more).toEqual([]);
  const pieces: readonly unknown[] = board?.Properties.DashboardBody['Fn::Join'][1] ?? [];
  return JSON.parse(pieces.map((piece) => (typeof piece === 'string' ? piece : '?')).join(''));
}

interface Widget {
  readonly type: string;
  readonly properties: { readonly alarms?: readonly string[]; readonly metrics?: readonly (readonly unknown[])[] };
}

describe('[C-12] the dashboard', () => {
  it('shows the state of every alarm', () => {
    const alarms = page().widgets.flatMap(({ properties }) => properties.alarms ?? []);

    expect(alarms).toHaveLength(stage('prod').ofType('AWS::CloudWatch::Alarm').length);
  });

  it('draws races, holds, the age of ticks, blind clusters, queues and deliveries of alerts', () => {
    const drawn = page().widgets.flatMap(({ properties }) => (properties.metrics ?? []).map(([, name]) => name));

    for (const name of [
      ...['RacesEarly', 'RacesInTime', 'RacesLate', 'Holds', 'OldestHoldAge', 'TickAge', 'BlindClusters'],
      ...['AlertsDelivered', 'ApproximateAgeOfOldestMessage'],
    ])
      expect(drawn).toContain(name);
  });
});
