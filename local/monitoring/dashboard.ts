import { definitions } from '../../functions/status/metrics/definitions.ts';

interface Panel {
  readonly title: string;
  readonly type: 'stat' | 'table' | 'timeseries' | 'state-timeline';
  readonly expr: string;
  readonly legend?: string;
  readonly unit?: string;
  /** Of 24 columns. */
  readonly width: number;
}

const m = definitions;
/** What the variables on top of the dashboard choose. */
const chosen = 'cluster=~"$cluster", pool=~"$pool"';

const rows: readonly (readonly Panel[])[] = [
  [
    { title: 'Pools paused', type: 'stat', expr: `count(${m.poolPaused.name}{${chosen}}) or vector(0)`, width: 4 },
    {
      title: 'Pools degraded',
      type: 'stat',
      expr: `count(${m.poolState.name}{${chosen}, state="degraded"}) or vector(0)`,
      width: 4,
    },
    {
      title: 'Incidents firing',
      type: 'stat',
      expr: `sum(${m.incidents.name}{cluster=~"$cluster", state="firing"}) or vector(0)`,
      width: 4,
    },
    {
      title: 'Pools with lost pauses (1 day)',
      type: 'stat',
      expr: `count(time() - ${m.raceLost.name}{${chosen}} < 24 * 3600) or vector(0)`,
      width: 4,
    },
    {
      title: 'Clusters not seen',
      type: 'stat',
      expr: `count(${m.clusterSeen.name}{cluster=~"$cluster"} == 0) or vector(0)`,
      width: 4,
    },
    { title: 'Parts unread', type: 'stat', expr: `sum(${m.unread.name}) or vector(0)`, width: 4 },
  ],
  [
    {
      title: 'State of each pool',
      type: 'state-timeline',
      expr: `${m.poolState.name}{${chosen}}`,
      legend: '{{cluster}}/{{pool}} {{state}}',
      width: 12,
    },
    {
      title: 'Closed gates',
      type: 'state-timeline',
      expr: `${m.gateClosed.name}{${chosen}}`,
      legend: '{{cluster}}/{{pool}} {{gate}}',
      width: 12,
    },
  ],
  [
    {
      title: 'Paused for',
      type: 'timeseries',
      expr: `time() - ${m.poolPausedSince.name}{${chosen}}`,
      legend: '{{cluster}}/{{pool}}',
      unit: 's',
      width: 8,
    },
    {
      title: 'Age of the oldest hold',
      type: 'timeseries',
      expr: `time() - ${m.oldestHold.name}{${chosen}}`,
      legend: '{{cluster}}/{{pool}}',
      unit: 's',
      width: 8,
    },
    {
      title: 'Holds',
      type: 'timeseries',
      expr: `sum by (cluster, pool, kind) (${m.holds.name}{${chosen}})`,
      legend: '{{cluster}}/{{pool}} {{kind}}',
      width: 8,
    },
  ],
  [
    {
      title: 'Machines updated',
      type: 'timeseries',
      expr: `${m.poolMachines.name}{${chosen}, count="updated"} / on (cluster, pool) ${m.poolMachines.name}{${chosen}, count="all"}`,
      legend: '{{cluster}}/{{pool}}',
      unit: 'percentunit',
      width: 8,
    },
    {
      title: 'Time left of the rollout',
      type: 'timeseries',
      expr: `${m.rolloutLeft.name}{${chosen}}`,
      legend: '{{cluster}}/{{pool}}',
      unit: 's',
      width: 8,
    },
    {
      title: 'Pace of a node',
      type: 'timeseries',
      expr: `${m.nodePace.name}{${chosen}}`,
      legend: '{{cluster}}/{{pool}} {{quantile}}',
      unit: 's',
      width: 8,
    },
  ],
  [
    {
      title: 'Incidents',
      type: 'table',
      expr: `${m.incidents.name}{cluster=~"$cluster"} > 0`,
      width: 12,
    },
    {
      title: 'Sequences',
      type: 'state-timeline',
      expr: m.sequences.name,
      legend: '{{sequence}} {{state}}',
      width: 6,
    },
    {
      title: 'Age of the last look at a cluster',
      type: 'timeseries',
      expr: `time() - ${m.clusterRead.name}{cluster=~"$cluster"}`,
      legend: '{{cluster}}',
      unit: 's',
      width: 6,
    },
  ],
];

const heights: Readonly<Record<Panel['type'], number>> = { stat: 4, table: 9, timeseries: 9, 'state-timeline': 9 };
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana
const source = { type: 'prometheus', uid: '${datasource}' };

/** A dashboard for Grafana 10 and later: import the file, and choose the data source. */
export function dashboard(): string {
  const file = {
    uid: 'poolkeeper',
    title: 'Poolkeeper',
    tags: ['openshift', 'argocd'],
    schemaVersion: 39,
    refresh: '1m',
    time: { from: 'now-24h', to: 'now' },
    templating: { list: [dataSource(), variable('cluster', m.clusterSeen.name), variable('pool', m.poolState.name)] },
    panels: rows.flatMap(panelsOf).map((panel, index) => ({ id: index + 1, ...panel })),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function panelsOf(row: readonly Panel[], index: number) {
  const y = rows.slice(0, index).reduce((sum, before) => sum + heightOf(before), 0);
  return row.map(({ title, type, expr, legend, unit, width }, place) => ({
    title,
    type,
    datasource: source,
    gridPos: { x: row.slice(0, place).reduce((sum, before) => sum + before.width, 0), y, w: width, h: heightOf(row) },
    fieldConfig: { defaults: unit === undefined ? {} : { unit }, overrides: [] },
    targets: [
      {
        refId: 'A',
        datasource: source,
        expr,
        ...(legend === undefined ? {} : { legendFormat: legend }),
        ...(type === 'table' ? { format: 'table', instant: true } : {}),
      },
    ],
  }));
}

function heightOf(row: readonly Panel[]): number {
  return Math.max(...row.map(({ type }) => heights[type]));
}

function dataSource() {
  return { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' };
}

/** A choice of all values of a label. */
function variable(label: string, metric: string) {
  const query = `label_values(${metric}, ${label})`;
  return {
    name: label,
    type: 'query',
    datasource: source,
    query,
    includeAll: true,
    multi: true,
    allValue: '.*',
    refresh: 2,
  };
}
