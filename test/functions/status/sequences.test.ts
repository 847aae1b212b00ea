import { describe, expect, it } from 'vitest';
import { ClusterSettings } from '../../../functions/core/configuration/cluster.ts';
import { Sequence } from '../../../functions/core/configuration/sequence.ts';
import { withRequest } from '../../../functions/core/sequences/record.ts';
import type { ShownSequence } from '../../../functions/core/sequences/shown-sequence.ts';
import type { StatusPorts } from '../../../functions/status/read-status.ts';
import { Status } from '../../../functions/status/status.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { aView } from '../../fakes/builders.ts';
import { fakeClock } from '../../fakes/fake-clock.ts';
import { fakeIds } from '../../fakes/index.ts';
import { allDone, classIsGone, played, storageClass, virtualization, waitingForClass } from './sequence-sample.ts';

const now = '2026-03-02T10:24:31.000Z';

function ago(seconds: number): string {
  return new Date(Date.parse(now) - seconds * 1000).toISOString();
}

function handler(sequences: readonly ShownSequence[], ports: Partial<StatusPorts> = {}) {
  return statusOf({
    views: { list: async () => [] },
    incidents: { list: async () => [] },
    timeline: { latest: async () => [] },
    nodeRollouts: { ended: async () => ({ rollouts: [] }) },
    sequenceViews: { list: async () => sequences },
    clock: fakeClock(now).now,
    newId: fakeIds(),
    ...ports,
  });
}

function get(accept: string): Request {
  return new Request('http://localhost/status', { headers: { accept } });
}

async function pageOf(...parameters: Parameters<typeof handler>): Promise<string> {
  return (await handler(...parameters)(get('text/html'))).text();
}

async function jsonOf(...parameters: Parameters<typeof handler>): Promise<Status> {
  return Status.parse(await (await handler(...parameters)(get('application/json'))).json());
}

/** What a person reads. */
function readable(page: string): string {
  return page
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<\/?(?:li|p|small|h\d|ul|ol|div|details|summary|section|article)[^>]*>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ');
}

describe('a sequence on the page', () => {
  it('[S2-18] [N-29] is on the page of each of its clusters, none of which is calm before it is done', async () => {
    const sequences = {
      virtualization: Sequence.parse({
        clusters: ['prod-eu-1', 'prod-us-1'],
        steps: { a: { kind: 'check' }, b: { kind: 'check', clusters: ['edge-1'] } },
      }),
    };
    const clusters = ['prod-eu-1', 'prod-us-1', 'edge-1', 'other-1'].map((name) =>
      ClusterSettings.parse({
        name,
        api: { server: `https://${name}.example.com`, tokenSecret: 'a' },
        policy: {},
        pools: {},
      }),
    );
    const views = { list: async () => clusters.map(({ name }) => aView({ cluster: name, readAt: ago(20) })) };
    const handle = handler([waitingForClass(ago)], { views, configuration: { clusters, sequences } });
    const shown = async (cluster: string) => {
      const headers = { accept: 'application/json' };
      const answer = await handle(new Request(`http://localhost/status?cluster=${cluster}`, { headers }));
      const { summary, sequences: found } = Status.parse(await answer.json());
      return [found.map(({ name }) => name), summary.state];
    };

    for (const cluster of ['prod-eu-1', 'prod-us-1', 'edge-1'])
      expect(await shown(cluster)).toEqual([['virtualization'], 'holding']);
    expect(await shown('other-1')).toEqual([[], 'calm']);
  });

  it('[S2-23] shows its waves in order, what each step waits for, since when, until when, and what happens then', async () => {
    const text = readable(await pageOf([waitingForClass(ago)]));

    expect(text).toContain('virtualization Under way, wave 5 Storage first, then OpenShift Virtualization');
    expect(text).toContain('last look 10:24:11 UTC, 20 s ago, kept on prod-eu-1');
    expect(text).toContain(
      `sc ${storageClass} Waiting sc ${storageClass} is not there waited for 13 min, since 10:11:11 UTC; until 14:11:11 UTC, then: an alert`,
    );
    expect(text).toMatch(/Wave 0 1 of 1 .*Wave 5 2 of 4 .*Wave 10 0 of 1 Held back: wave 5 is not healthy .*Wave 15/);
    expect(text).toContain('virtualization Not its turn Subscription openshift-cnv/kubevirt-hyperconverged');
    expect(text).toContain('poolkeeper sequence status|pause|go-on|skip|abort virtualization');
  });

  it('[S2-23] has an address of its own, stands in the headline until it is done, and is a list of waves for a screen reader', async () => {
    const [page, status] = await Promise.all([pageOf([waitingForClass(ago)]), jsonOf([waitingForClass(ago)])]);

    expect(page).toContain('id="sequence-virtualization"');
    expect(page).toContain('<a href="#sequence-virtualization">virtualization</a>');
    expect(page).toContain('role="region" tabindex="0" aria-label="Waves of virtualization"><ol>');
    expect(page.match(/aria-current="step"/g)).toHaveLength(1);
    expect(page.match(/<svg class="sign[^>]*>/g)?.every((sign) => sign.includes('aria-hidden="true"'))).toBe(true);
    expect(page).not.toMatch(/ style="/);
    expect(status.summary).toMatchObject({ state: 'holding', sentence: '1 sequence not done.', sequencesOpen: 1 });
  });

  it('[S2-11] [S2-23] says what is no longer healthy, which cluster cannot be seen, and puts it first', async () => {
    const [page, status] = await Promise.all([
      pageOf([waitingForClass(ago), classIsGone(ago)]),
      jsonOf([waitingForClass(ago), classIsGone(ago)]),
    ]);

    expect(status.sequences.map(({ name }) => name)).toEqual(['databases', 'virtualization']);
    expect(readable(page)).toContain(
      `No longer healthy storage@prod-eu-1/waitFor sc ${storageClass} is not there since 10:19:31 UTC`,
    );
    expect(readable(page)).toContain('operator Cannot be seen');
    expect(page).toContain('class="stage trouble"');
    expect(readable(page)).toContain('database Under way');
  });

  it('[S2-23] is folded when it is done and others are not, and says all clear when all are', async () => {
    const [both, alone, status] = await Promise.all([
      pageOf([allDone(ago), waitingForClass(ago)]),
      pageOf([allDone(ago)]),
      jsonOf([allDone(ago)]),
    ]);

    expect(both).toContain('<details class="card sequence" id="sequence-monitoring">');
    expect(alone).toContain('<article class="card sequence" id="sequence-monitoring">');
    expect(readable(alone)).toContain('monitoring Done');
    expect(status.summary.sequencesOpen).toBe(0);
  });

  it('[S2-10] says who paused it, why and when, what was skipped and what passed its timeout', async () => {
    const said = { who: 'anna', why: 'change freeze', at: ago(60) };
    const shown = played({
      name: 'virtualization',
      configuration: {
        ...virtualization,
        steps: {
          storage: {
            kind: 'check',
            waitFor: { resourceType: 'sc', resourceName: 'a', timeoutSeconds: 600, onTimeout: 'proceed' },
          },
          database: { kind: 'check', waitFor: { resourceType: 'sc', resourceName: 'b', timeoutSeconds: 600 } },
          web: { kind: 'application', name: 'web', wave: 1 },
        },
      },
      looks: [3000, 2900, 120, 60].map((seconds) => ({
        at: new Date(ago(seconds)),
        found: {
          'storage@prod-eu-1': ['healthy', ''],
          'database@prod-eu-1': ['healthy', ''],
          'storage@prod-eu-1/waitFor': ['unhealthy', 'sc a is not there'],
          'database@prod-eu-1/waitFor': ['unhealthy', 'sc b is not there'],
        },
      })),
      asked: (record) =>
        withRequest(withRequest(record, { kind: 'skip', item: 'web@prod-eu-1', said }), { kind: 'pause', said }),
    });

    const text = readable(await pageOf([shown]));

    expect(text).toContain('Paused by anna at 10:23:31 UTC: change freeze');
    expect(text).toContain('sc a Timed out, let pass');
    expect(text).toContain('sc b Not in time sc b is not there waited for 48 min');
    expect(text).toContain('web Skipped');
    expect(text).toContain('Not in time database@prod-eu-1/waitFor');
  });

  it('[S2-23] what is not configured any more is not shown, and what nobody has looked at says so', async () => {
    const configuration = { clusters: [], sequences: { fresh: Sequence.parse(virtualization) } };

    const [status, page] = await Promise.all([
      jsonOf([allDone(ago)], { configuration }),
      pageOf([allDone(ago)], { configuration }),
    ]);

    expect(status.sequences).toMatchObject([{ name: 'fresh', state: 'not begun', stale: true }]);
    expect(readable(page)).toContain(
      'fresh Not begun Storage first, then OpenShift Virtualization Stale nobody has looked',
    );
  });

  it('[S2-23] an old look says that it is old, and what cannot be read is no calm', async () => {
    const old = { ...waitingForClass(ago), readAt: ago(3600) };
    const failing = { sequenceViews: { list: () => Promise.reject(new Error('no table')) } };

    const [stale, unread] = await Promise.all([pageOf([old]), handler([], failing)(get('text/html'))]);

    expect(readable(stale)).toContain('Stale last look 09:24:31 UTC, 1 h ago');
    expect(unread.status).toBe(503);
    expect(readable(await unread.text())).toContain('The sequences could not be read');
  });

  it('[S2-23] [N-29] a look by a clock that was ahead is no recent one', async () => {
    const page = await pageOf([{ ...waitingForClass(ago), readAt: ago(-3600) }]);

    expect(readable(page)).toContain('Stale last look');
  });

  it('[S2-23] without sequences there is no section of them', async () => {
    expect(await pageOf([])).not.toContain('id="sequences"');
  });
});
