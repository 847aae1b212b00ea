import * as z from 'zod';
import { ApplicationSpec, specOf, Text } from '../../core/argocd/application-spec.ts';
import { type GitGenerator, type SetRoute, type SetTemplate, withoutPassword } from '../../core/routing/route.ts';
import { Transient } from '../../core/text/errors.ts';
import { given } from '../../core/text/given.ts';
import { asGoReads } from './go-json.ts';
import { Metadata, understand } from './metadata.ts';

const Item = z.object({ path: Text, exclude: z.boolean().nullish() });
const Items = z.array(Item).nullish();

const Git = z.object({
  repoURL: Text,
  revision: Text,
  files: Items,
  directories: Items,
  requeueAfterSeconds: z.number().nullish(),
  /** Its own overrides of the template. */
  template: z.unknown().optional(),
});
type Git = z.infer<typeof Git>;

const Nested = z.object({ generators: z.array(z.unknown()).nullish() });

/** Generators of any kind: those that contain others, and those that read Git. Their content is free JSON from the
 *  second level on, which Argo CD reads with encoding/json. */
const Generator = z.object({
  git: Git.nullish(),
  plugin: z.unknown().optional(),
  matrix: Nested.nullish(),
  merge: Nested.nullish(),
});
type Generator = z.infer<typeof Generator>;

/** Fields of a nested generator that are looked at, and those that tell whether its template says anything. */
const nestedFields: readonly string[] = [
  ...[Generator, Nested, Git, Item].flatMap(({ shape }) => Object.keys(shape)),
  ...['spec', 'source', 'sources', 'sourceHydrator', 'drySource', 'syncSource', 'targetBranch', 'targetRevision'],
  ...['chart', 'destination', 'server', 'name'],
];

/** Source: argo-cd pkg/apis/application/v1alpha1/applicationset_types.go. */
const ApplicationSet = z.object({
  metadata: Metadata,
  spec: z.object({
    generators: z.array(z.unknown()).nullish(),
    template: z.object({ spec: z.unknown().optional() }).nullish(),
    /** Overrides the template. */
    templatePatch: Text,
    strategy: z
      .object({ type: Text, rollingSync: z.object({ steps: z.array(z.unknown()).nullish() }).nullish() })
      .nullish(),
  }),
});

/** Generators of one ApplicationSet, nested ones among them: one with more cannot be read. Places that one generator
 *  reads: of one with more, anything may matter. */
const most = { generators: 1_000, paths: 1_000 };

/** Levels of nested generators; Argo CD allows three. */
const levelsAtMost = 5;

/** Default polling interval of a Git generator. Source: argo-cd applicationset/generators/git.go. */
const defaultLookSeconds = 180;

/** Parses an ApplicationSet, limited to what routing needs; undefined: it reads nothing from Git, and starts no syncs.
 *  Throws Transient if invalid. */
export function setRouteOf(argocd: string, body: unknown): SetRoute | undefined {
  const { metadata, spec } = understand(ApplicationSet, body, 'ApplicationSet');
  const all = generatorsIn(spec.generators ?? []);
  if (all.length > most.generators)
    throw new Transient(`ApplicationSet: cannot be parsed at spec.generators: more than ${most.generators}`, {
      kind: 'invalid',
    });
  const gits = all.flatMap(({ git }) => git ?? []);
  const readsAnyPush = all.some(({ plugin }) => plugin !== undefined && plugin !== null);
  const rolls = isRolling(spec.strategy);
  if (gits.length === 0 && !readsAnyPush && !rolls) return undefined;
  const isPatched = spec.templatePatch !== '' || gits.some(({ template }) => hasSpec(template));
  const written = isPatched ? undefined : templateOf(spec.template?.spec);
  const template = written && rolls ? { ...written, automated: true } : written;
  return {
    ref: { argocd, namespace: metadata.namespace ?? '', name: metadata.name },
    generators: gits.map(gitOf),
    readsAnyPush,
    looksEverySeconds: gits.reduce((most, each) => Math.max(most, each.requeueAfterSeconds || defaultLookSeconds), 0),
    ...(rolls ? { rolls } : {}),
    ...given({ template }),
  };
}

/** Progressive syncs: the ApplicationSet controller turns automated sync off and writes the operations itself.
 *  Source: argo-cd applicationset/progressivesync/progressive_sync.go, RollingSyncStrategyEnabled and
 *  SyncDesiredApplications. */
function isRolling(strategy: z.infer<typeof ApplicationSet>['spec']['strategy']): boolean {
  return strategy?.type === 'RollingSync' && (strategy.rollingSync?.steps ?? []).length > 0;
}

/** Including nested ones. An unknown generator reads nothing that we know of. */
function generatorsIn(generators: readonly unknown[], level = 1): readonly Generator[] {
  if (level > levelsAtMost) return [];
  return generators.flatMap((each) => {
    const read = Generator.safeParse(level === 1 ? each : asGoReads(each, nestedFields));
    if (!read.success) return [];
    const { matrix, merge } = read.data;
    const below = [...(matrix?.generators ?? []), ...(merge?.generators ?? [])];
    return [read.data, ...generatorsIn(below, level + 1)];
  });
}

function gitOf({ repoURL, revision, files, directories }: Git): GitGenerator {
  const reads = (directories ?? []).length > 0 ? 'folders' : 'files';
  const items = (reads === 'folders' ? directories : files) ?? [];
  // What is left out of a match would only make it narrower.
  const paths = items.filter(({ exclude }) => exclude !== true).map(({ path }) => path);
  return { repoURL: withoutPassword(repoURL), revision, reads, paths: paths.length > most.paths ? [] : paths };
}

/** Argo CD fills in an empty one. */
function hasSpec(template: unknown): boolean {
  const read = z.object({ spec: ApplicationSpec }).safeParse(template);
  if (!read.success) return false;
  const { sources, destination } = specOf(read.data.spec);
  const isEmpty = sources.every(({ repoURL, path, chart }) => repoURL === '' && path === '' && chart === '');
  return !isEmpty || destination.server !== '' || destination.name !== '';
}

function templateOf(spec: unknown): SetTemplate | undefined {
  const read = ApplicationSpec.safeParse(spec);
  if (!read.success) return undefined;
  const { sources, destination, automated } = specOf(read.data);
  return {
    sources: sources.map((source) => ({ ...source, repoURL: withoutPassword(source.repoURL) })),
    destination,
    automated,
  };
}
