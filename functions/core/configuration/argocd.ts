import * as z from 'zod';
import {
  baseUrl,
  certificateAuthority,
  filledIn,
  listOf,
  mapping,
  minute,
  name,
  objectName,
  seconds,
  url,
  type Values,
  withoutFinalSlash,
} from './fields.ts';

/** Where pushes are passed on to once their pools are confirmed paused. */
export const RelaySettings = mapping({
  url: url("the address of argocd-server's webhook").describe(
    "Address of argocd-server's webhook, `https://<argocd-server>/api/webhook`.",
  ),
  applicationSetUrl: url("the address of the ApplicationSet controller's webhook")
    .optional()
    .describe(
      "Address of the ApplicationSet controller's webhook, a server of its own: `https://<its route>/api/webhook`. Without it, ApplicationSets find out about a push only by polling.",
    ),
  ca: certificateAuthority('both'),
  /** An idle MCO confirms a pause within 5 s, behind a rollout of many nodes within some 20 s: half a minute is little
   *  for people and less than Argo CD's own polling (3 min). */
  waitAtMostSeconds: seconds(1, 10 * minute)
    .default(30)
    .describe(
      'How long a push is held back until the pause of its pools is confirmed. Then it is passed on anyway and reported as late.',
    ),
  /** Argo CD up to 3.5 drops such a refresh. Source: argo-cd issues 28306 and 28392. */
  sendAgainAfterSeconds: seconds(10, 15 * minute)
    .default(30)
    .describe(
      'It is passed on again after this time, because Argo CD may drop a refresh that is requested while another one runs.',
    ),
});
export type RelaySettings = Values<typeof RelaySettings>;

/** Which cluster a destination means: by server URL or by name. Argo CD compares servers without a final slash too. */
const Destination = mapping({
  server: z
    .string({ error: 'must be the URL the Application names as its destination' })
    .overwrite(withoutFinalSlash)
    .optional()
    .describe('Server URL as the Application names it. Either this or name.'),
  name: z
    .string({ error: 'must be the name the Application names as its destination' })
    .optional()
    .describe('Destination name as the Application names it. Either this or server.'),
  cluster: name().describe('The cluster that is meant, by its name above.'),
  isImplied: filledIn(z.literal(true)).describe('Nobody wrote it: every instance understands it.'),
});

/** Applications that are trusted with something, by their namespace or AppProject. */
const TrustedApplications = mapping({
  namespaces: listOf(objectName(), 'must be a list of namespaces')
    .default([])
    .describe('Every Application in these namespaces.'),
  projects: listOf(objectName(), 'must be a list of AppProjects')
    .default([])
    .describe(
      "Applications of these AppProjects in Argo CD's own namespace (controllerNamespace). In another namespace its owner can write any project: name the namespace instead.",
    ),
});

/** Which Applications may name pools. Whoever may write an Application may annotate it, and a pool that is named
 *  without need stays paused for as long as an operation is shown as running: only those listed are trusted. */
const PoolsAnnotation = mapping({
  mayAdd: TrustedApplications.optional().describe(
    'Applications whose annotation `poolkeeper.dev/pools: worker,infra` adds these pools to those of the kinds that they manage.',
  ),
  mayRemove: TrustedApplications.optional().describe(
    'Applications whose annotation also takes away: pools of their kinds that it does not name are not paused for their syncs; `none` takes away all.',
  ),
});

/** Of Red Hat's operator. */
export const usualArgocdNamespace = 'openshift-gitops';

/** One Argo CD instance. */
export const ArgoCdSettings = mapping({
  name: name().describe("Name of the instance; `poolkeeperInstance` in its notifications' context."),
  cluster: name().describe('Cluster it runs in, by its name above. Destinations `in-cluster` mean this one.'),
  namespaces: listOf(objectName(), 'must be a list of namespaces')
    .min(1, { error: 'must be a list of at least one namespace' })
    .default([usualArgocdNamespace])
    .describe('Namespaces in which its Applications live.'),
  controllerNamespace: objectName()
    .optional()
    .describe('Namespace of its application controller. Default: the first of namespaces.'),
  destinations: listOf(Destination, 'must be a list of destinations')
    .default([])
    .describe(
      'Which cluster a destination means, by server or by name. `in-cluster`, https://kubernetes.default.svc and the name and server of every cluster need no entry.',
    ),
  url: baseUrl('the address of its user interface')
    .optional()
    .describe('Address of its user interface, for links to Applications. Without it there are none.'),
  commitsUrl: baseUrl('the address of commits')
    .optional()
    .describe(
      'Address to which the hash of a commit is added, `https://github.com/acme/cluster-config/commit`, for links to commits. Without it there are none.',
    ),
  /** Undefined: the annotation of no Application counts. */
  poolsAnnotation: PoolsAnnotation.optional().describe(
    'Which Applications may name pools by their annotation `poolkeeper.dev/pools`. Without it, none: what they manage decides.',
  ),
  /** Undefined: GitHub delivers to this instance itself, or it only polls. */
  relay: RelaySettings.optional().describe(
    'GitHub delivers to Poolkeeper alone, which passes each push on to this Argo CD once its pools are confirmed paused.',
  ),
}).transform(({ controllerNamespace, ...settings }) => ({
  ...settings,
  controllerNamespace: controllerNamespace ?? settings.namespaces[0] ?? usualArgocdNamespace,
}));
export type ArgoCdSettings = Values<typeof ArgoCdSettings>;

export const ArgoCds = listOf(ArgoCdSettings, 'must be a list of Argo CD instances')
  .default([])
  .describe('The Argo CD instances whose syncs are watched.');
