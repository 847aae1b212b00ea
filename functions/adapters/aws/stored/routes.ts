import * as z from 'zod';
import type { ApplicationSource } from '../../../core/argocd/application.ts';
import type { Route, SetRoute } from '../../../core/routing/route.ts';
import type { KnownName, StoredRoutes } from '../../../ports/tables.ts';
import { maybeText } from './maybe.ts';

const Source = z.object({
  repoURL: z.string(),
  path: z.string(),
  targetRevision: z.string(),
  chart: z.string(),
  ref: z.string().optional(),
  hydration: z.enum(['dry', 'hydrated']).optional(),
  tool: z.enum(['helm', 'kustomize', 'plugin', 'jsonnet']).optional(),
  directory: z.object({ recurse: z.boolean(), include: z.string(), exclude: z.string() }).optional(),
  now: z.string().optional(),
}) satisfies z.ZodType<ApplicationSource>;

const Ref = z.object({ argocd: z.string(), namespace: z.string(), name: z.string() });
const Child = z.object({ namespace: z.string(), name: z.string() });

const StoredRoute = z.object({
  ref: Ref,
  uid: z.string(),
  cluster: z.string(),
  sources: z.array(Source),
  generatePaths: maybeText,
  automated: z.boolean(),
  selfHeal: z.boolean().optional(),
  renders: z.boolean(),
  children: z.array(Child),
  childSets: z.array(Child).optional(),
  generatedBy: z.string().optional(),
}) satisfies z.ZodType<Route>;

const StoredSet = z.object({
  ref: Ref,
  generators: z.array(
    z.object({
      repoURL: z.string(),
      revision: z.string(),
      reads: z.enum(['files', 'folders']),
      paths: z.array(z.string()),
      now: z.string().optional(),
    }),
  ),
  readsAnyPush: z.boolean(),
  looksEverySeconds: z.number(),
  rolls: z.literal(true).optional(),
  template: z
    .object({
      sources: z.array(Source),
      destination: z.object({ server: z.string(), name: z.string() }),
      automated: z.boolean(),
    })
    .optional(),
}) satisfies z.ZodType<SetRoute>;

const StoredName = z.object({
  name: z.string(),
  now: z.string().optional(),
  askedAt: z.string(),
  isUnanswered: z.literal(true).optional(),
  isRefused: z.literal(true).optional(),
}) satisfies z.ZodType<KnownName>;

/** Versions before ApplicationSets stored the routes alone. */
export const StoredRouteTable = z.union([
  z.object({ routes: z.array(StoredRoute), sets: z.array(StoredSet), names: z.array(StoredName).optional() }),
  z.array(StoredRoute).transform((routes) => ({ routes, sets: [] })),
]) satisfies z.ZodType<RouteTable>;

export type RouteTable = Pick<StoredRoutes, 'routes' | 'sets' | 'names'>;

/** The head row: holds the routes itself, or names the rows of its content. */
export const RoutesHead = z.object({
  listedAt: z.string(),
  /** When this content was written, by the clock of `listedAt`. */
  packedAt: z.string(),
  /** Id of the content; the same id is always the same content. */
  content: z.string(),
  /** Number of rows; 0: the content is in `packed`. */
  chunks: z.int().min(0).max(1000),
  packed: z.string(),
});
export type RoutesHead = z.infer<typeof RoutesHead>;
