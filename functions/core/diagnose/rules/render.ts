import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, ref, without } from '../../findings/make-finding.ts';
import type { Confidence, Evidence, Finding, Remedy, TroubleClass } from '../../findings/trouble.ts';
import { read, type Unread, unreadOf } from '../../findings/unread.ts';
import { isOperatorsName, isOperatorsOwn, isTemplateOf } from '../../openshift/operator-machine-configs.ts';
import { condition, type Pool } from '../../openshift/pool.ts';
import { generatedByAnnotation } from '../../openshift/rendered-kinds.ts';
import { poolSelects } from '../../openshift/selector.ts';
import { ifGiven } from '../../text/if-given.ts';
import { between, clipped, listed, quoted } from '../../text/phrases.ts';
import { command } from '../../text/shell-words.ts';
import { changedAt, changedPath, type ObjectHead } from '../objects/object-head.ts';
import { machineConfigHead, machineConfigHeads } from '../questions.ts';
import { remedy } from '../remedies.ts';
import type { PoolSubject } from '../subject.ts';
import { isAsRendered } from './changed-sources.ts';
import { controllerLog } from './operator-parts.ts';
import { revertsOf } from './reverts.ts';

interface RenderRule {
  readonly code: string;
  readonly pattern: RegExp;
  readonly class: TroubleClass;
  /** After "The MCO cannot render pool X: ". */
  readonly words: string;
  /** Where no MachineConfig did it: what helps. */
  readonly remedies?: readonly Remedy[];
  /** What is to be done in Git to the one that did it; absent: it is reverted or corrected. */
  readonly mending?: string;
}

/** `could not get OSImageStream for pool P`: no MachineConfig did that. */
const streamText = /^couldn?(?:'t| not) get (?:the )?OSImageStream/i;

/** By the wording of the error. What blames no change of a MachineConfig counts only where the text begins so: the MCO
 *  quotes extensions, paths and users of MachineConfigs, which may hold any words. Source: machine-config-operator
 *  pkg/controller/render/render_controller.go and pkg/controller/common. */
const renderRules: readonly RenderRule[] = [
  {
    code: 'R8',
    pattern: /^ignoring (?:controller config|MC|machineconfig|OSImageStream)[\s\S]{0,300}(?:generated|version)/i,
    class: 'self-healing',
    words: 'its parts come from different versions, as during a cluster upgrade',
  },
  {
    code: 'R1',
    pattern: /^(?:no MachineConfigs found matching selector|couldn't find any MachineConfigs for pool)/i,
    class: 'structural',
    words: 'its selector matches no MachineConfig',
  },
  {
    code: 'R3',
    pattern:
      /reconciliation failed between|render reconciliation error|can't reconcile|not reconcilable|invalid passwd change|ignition [a-z/ ]{1,60} section contains|ignition file .{1,200} includes append|cannot create .{0,200} via ignition|refusing to modify FIPS/i,
    class: 'structural',
    words: 'a MachineConfig changes what cannot be changed on a running node',
  },
  {
    code: 'R4',
    pattern:
      /kernelType=\S{1,100} is invalid|unhandled kernel type|invalid extensions found|kernel-devel extension|invalid mode|only core user is supported/i,
    class: 'structural',
    words: 'a MachineConfig has a value that is not allowed',
  },
  {
    code: 'R5',
    pattern: /is too large|request is too large|entity too large|trying to send message larger/i,
    class: 'structural',
    words: 'all MachineConfigs together are larger than the API server takes',
  },
  {
    code: 'R6',
    pattern: /^cannot override MachineConfig osImageURL/i,
    class: 'structural',
    words: 'two settings choose its operating system image',
  },
  {
    code: 'R0',
    pattern: streamText,
    class: 'external',
    words: 'the image stream of its operating system cannot be found or read',
  },
  {
    code: 'R7',
    pattern: /^MachineConfigPool \S+ targets .{1,100}runc is not available/i,
    class: 'structural',
    words: 'its operating system image has no runc',
  },
  ...withoutMachineConfig(),
  {
    code: 'R2',
    pattern:
      /ignition|unknown version|invalid version|gzip|decompress|compression type|could not decode|downgrading KernelArguments|requested (?:version|conversion)|conversion (?:from|for)|wrong source type/i,
    class: 'structural',
    words: 'a MachineConfig holds no valid Ignition configuration',
  },
];

/** Errors that the MCO passes on as they are, and that no MachineConfig made. Each is known by how the text begins,
 *  because what follows may hold words of anybody. Source: render_controller.go `syncGeneratedMachineConfig`;
 *  client-go. */
function withoutMachineConfig(): readonly RenderRule[] {
  return [
    {
      code: 'R0',
      pattern: /^could not get current MachineConfig \S+ for MachineConfigPool/i,
      class: 'external',
      words: 'the rendered config that it has now cannot be read',
      remedies: [
        remedy('See whether it is there; if it was deleted, restore it from a backup', {
          command: command('oc', 'get', 'machineconfigs', '--sort-by=.metadata.creationTimestamp'),
        }),
      ],
    },
    {
      code: 'R0',
      pattern: /^(?:pool \S+ )?failed to (?:check runc|inspect OS image)/i,
      class: 'external',
      words: 'the MCO cannot look into its operating system image',
      remedies: [
        remedy('See what the controller says of the image: its registry, the pull secret, a proxy', {
          command: controllerLog,
        }),
      ],
    },
    {
      code: 'R0',
      pattern:
        /^(?:admission webhook "|Internal error occurred: failed calling webhook|\S+ (?:"[^"]{1,300}" )?is forbidden: )/i,
      class: 'external',
      words: 'the API server does not take what the MCO writes',
      remedies: [
        remedy(
          'Bring the webhook or the policy that is named to leave what the MCO writes alone, or give it its rights',
        ),
      ],
    },
    {
      code: 'R0',
      pattern:
        /^(?:etcdserver: |client rate limiter |context (?:deadline exceeded|canceled)|Operation cannot be fulfilled |Internal error occurred: |Timeout: |the server (?:was|is|has|could) |(?:Get|Post|Put|Patch|Delete) "https?:|\S+ "[^"]{1,300}" (?:already exists|not found)$|rpc error: |http2: |unexpected EOF|Unauthorized$)/i,
      class: 'self-healing',
      words: 'the MCO could not read or write at the API server, and tries again by itself',
      remedies: [
        remedy('If it lasts: see whether the API server is well', {
          command: command('oc', 'get', 'clusteroperator', 'kube-apiserver', 'etcd'),
        }),
      ],
    },
  ];
}

/** The MCO takes whatever has its mark for its own, and waits for it to be made again by the version that runs: of
 *  what somebody else keeps, forever. Source: render_controller.go `generateRenderedMachineConfig`. */
const copiedMark: RenderRule = {
  code: 'R8',
  pattern: /^ignoring (?:MC|machineconfig) "?([a-z0-9][a-z0-9.-]*)"? generated by /i,
  class: 'structural',
  words: 'a MachineConfig has the mark of what the MCO makes itself, which the MCO waits in vain to make anew',
  mending: `take annotation ${generatedByAnnotation}, which was copied from a cluster, out of`,
};

const unknownRule: RenderRule = {
  code: 'R0',
  pattern: /(?:)/,
  class: 'unknown',
  words: 'merging its MachineConfigs fails',
};

/** A change made so long before the first failure can be its cause: two render delays of 5 s and a busy controller. */
const beforeFailureMs = 5 * 60_000;
const afterFailureMs = 60_000;
/** One sync writes its MachineConfigs within seconds of each other. */
const oneSyncMs = 30_000;

/** Why a pool cannot be rendered (R rules) and which MachineConfig did it. Nodes are untouched by that. */
export function* explainRender(subject: PoolSubject): Inquiry<Finding> {
  const { pool } = subject;
  const degraded = condition(pool, 'RenderDegraded');
  const message = degraded?.message ?? '';
  const told = errorIn(message, pool).replace(/^could not generate rendered MachineConfig: /i, '');
  const rule = ruleOf(told, pool);
  const blame = yield* blameOf(subject, rule, told);
  const [only, ...others] = blame.by === 'since' ? [] : blame.names;
  const found = finding({
    code: rule.code,
    subject:
      only !== undefined && others.length === 0 ? ref('MachineConfig', only) : ref('MachineConfigPool', pool.name),
    sentence: `Pool ${pool.name} cannot be rendered: ${accused(rule.words, blame)}: ${quoted(withoutOpening(message, pool, blame), 200)}. No node is affected: they keep ${pool.current.name || 'what they have'}.`,
    confidence: blame.names.length === 0 ? 'strong' : sureness[blame.by],
    class: rule.class,
    evidence: [
      evidence(
        ref('MachineConfigPool', pool.name),
        'status.conditions[RenderDegraded].message',
        clipped(message),
        subject.readAt,
      ),
      ...blame.evidence,
    ],
    remedies: yield* remediesOf(rule, blame, subject),
  });
  return without(found, blame.unread);
}

function ruleOf(told: string, pool: Pool): RenderRule {
  const marked = copiedMark.pattern.exec(told)?.[1];
  if (marked !== undefined && !isOperatorsName(marked, pool)) return copiedMark;
  return renderRules.find(({ pattern }) => pattern.test(told)) ?? unknownRule;
}

/** The rule's words about `a MachineConfig`, or about the one that is named. */
function accused(words: string, { names, by }: Blame): string {
  const [only] = names;
  if (only === undefined) return words;
  const all = listed(names, 3);
  switch (by) {
    case 'words':
      return words.startsWith('a MachineConfig ')
        ? words.replace('a MachineConfig', `MachineConfig ${only}`)
        : `${words}, namely ${all}`;
    case 'both':
      return `${words}, probably ${all}`;
    case 'before':
      return `${words}, probably ${all} (changed just before)`;
    case 'since':
      return `${words} (what made it fail may have been taken away; changed since it fails: ${all})`;
    default:
      return by satisfies never;
  }
}

/** Who did it, as far as that is known. */
interface Blame {
  readonly names: readonly string[];
  readonly heads: readonly ObjectHead[];
  /** By the MCO's words, by when it was changed, or by both, each of another one. `since`: nothing that changed before
   *  is there any more, so that these may be innocent. */
  readonly by: 'words' | 'both' | 'before' | 'since';
  readonly evidence: readonly Evidence[];
  readonly unread: readonly Unread[];
}

const sureness = {
  words: 'strong',
  both: 'likely',
  before: 'likely',
  since: 'possible',
} as const satisfies Record<Blame['by'], Confidence>;

const nobody: Blame = { names: [], heads: [], by: 'words', evidence: [], unread: [] };

function* blameOf(subject: PoolSubject, rule: RenderRule, told: string): Inquiry<Blame> {
  if (rule.remedies !== undefined || rule.class === 'self-healing') return nobody;
  const named = namedIn(told, subject.pool);
  if (named !== undefined)
    return comparing.test(told) ? yield* compared(subject, named) : yield* byName(subject, named);
  return streamText.test(told) ? nobody : yield* changedLately(subject);
}

/** Since OpenShift 4.20 the MCO compares each MachineConfig by itself with all of the last render, and names the first
 *  that differs as the whole does: where disks, filesystems or FIPS are there already, that is the first one that says
 *  nothing of them. Source: render_controller.go `generateAndValidateRenderedMachineConfig`. */
const comparing = /^reconciliation failed between current config "[^"]*" and base config/i;

/** How the texts begin in which the MCO names a MachineConfig itself. */
const naming =
  /^(?:ignoring (?:MC|machineconfig)|reconciliation failed between current config "[^"]*" and base config|failed to parse Ignition config for MC|failed to (?:decode|parse TOML from) CRI-O drop-in "(?:[^"\\]|\\.){0,4096}" in MC) "?([a-z0-9][a-z0-9.-]*)"?/i;

/** The MachineConfig that the MCO names. Further names in the text may stand in values of a MachineConfig that it
 *  quotes. */
function namedIn(told: string, pool: Pool): string | undefined {
  const name = naming.exec(told)?.[1];
  return name === undefined || isRenderOf(pool, name) ? undefined : name;
}

function isRenderOf({ target, current }: Pool, name: string): boolean {
  return name === target.name || name === current.name;
}

function* byName({ readAt }: PoolSubject, name: string): Inquiry<Blame> {
  const head = yield* read(machineConfigHead(name));
  return blamed(name, head.kind === 'read' ? head.value : undefined, readAt);
}

function blamed(name: string, head: ObjectHead | undefined, readAt: string): Blame {
  const heads = ifGiven(head);
  return { ...nobody, names: [name], heads, evidence: heads.map((each) => changeOf(each, readAt)) };
}

/** The one that the MCO names, where no other one has changed just before, or else both. One that did not do it is
 *  left out: then what has changed is suspect. */
function* compared(subject: PoolSubject, name: string): Inquiry<Blame> {
  const heads = yield* read(machineConfigHeads());
  if (heads.kind !== 'read') return { ...blamed(name, undefined, subject.readAt), unread: unreadOf([heads]) };
  const all = heads.value.items;
  const head = all.find(({ metadata }) => metadata.name === name);
  const suspects = suspectsAmong(all, subject, heads.readAt);
  if (head !== undefined && isInnocent(head, subject.pool, all)) return suspects;
  const named = blamed(name, head, subject.readAt);
  if (suspects.by === 'since' || suspects.names.every((each) => each === name)) return named;
  if (suspects.names.includes(name)) return suspects;
  return {
    names: [name, ...suspects.names],
    heads: [...named.heads, ...suspects.heads],
    by: 'both',
    evidence: [...named.evidence, ...suspects.evidence],
    unread: [],
  };
}

function changeOf(head: ObjectHead, readAt: string): Evidence {
  return evidence(ref('MachineConfig', head.metadata.name), changedPath, changedAt(head), readAt);
}

function* changedLately(subject: PoolSubject): Inquiry<Blame> {
  const heads = yield* read(machineConfigHeads());
  if (heads.kind !== 'read') return { ...nobody, unread: unreadOf([heads]) };
  return suspectsAmong(heads.value.items, subject, heads.readAt);
}

function suspectsAmong(all: readonly ObjectHead[], { pool, readAt }: PoolSubject, headsReadAt: string): Blame {
  const failedAt = condition(pool, 'RenderDegraded')?.since ?? readAt;
  const changed = all
    .filter(({ metadata }) => poolSelects(pool.machineConfigSelector, metadata.labels))
    .filter((head) => !isInnocent(head, pool, all))
    .map((head) => ({ head, at: suspectAt(head, pool, failedAt) }))
    .filter(({ at }) => between(at, failedAt) <= beforeFailureMs)
    .toSorted((a, b) => between(a.at, b.at));
  const first = changed.find(({ at }) => !isSince(at, failedAt));
  // What made it fail may have been edited again since, or be gone.
  const suspects =
    first === undefined ? changed : changed.filter(({ at }) => Math.abs(between(at, first.at)) <= oneSyncMs);
  return {
    names: suspects.map(({ head }) => head.metadata.name),
    heads: suspects.map(({ head }) => head),
    by: first === undefined ? 'since' : 'before',
    evidence: suspects
      .slice(0, 3)
      .flatMap(({ head, at }) => [
        ...(at === changedAt(head) ? [] : [creationOf(head, at, headsReadAt)]),
        changeOf(head, headsReadAt),
      ]),
    unread: [],
  };
}

/** When it was changed. Of one that was changed since and that the last render does not have, when it was created, if
 *  that was just before, and not after: whoever edits it again takes neither himself out of suspicion nor another one
 *  in. */
function suspectAt(head: ObjectHead, { target }: Pool, failedAt: string): string {
  const changed = changedAt(head);
  const { name, creationTimestamp = changed } = head.metadata;
  if (!isSince(changed, failedAt) || target.sources.includes(name)) return changed;
  const beforeMs = between(creationTimestamp, failedAt);
  return beforeMs >= 0 && beforeMs <= beforeFailureMs ? creationTimestamp : changed;
}

function isSince(at: string, failedAt: string): boolean {
  return between(failedAt, at) > afterFailureMs;
}

function creationOf(head: ObjectHead, at: string, readAt: string): Evidence {
  return evidence(ref('MachineConfig', head.metadata.name), 'metadata.creationTimestamp', at, readAt);
}

function isInnocent(head: ObjectHead, pool: Pool, all: readonly ObjectHead[]): boolean {
  return isRenderOf(pool, head.metadata.name) || isOperatorsOwn(head.metadata, pool) || wasRendered(head, pool, all);
}

/** What the pool's last render has, as it still is, could be rendered: it did not make the next one fail. */
function wasRendered(head: ObjectHead, { target }: Pool, all: readonly ObjectHead[]): boolean {
  const rendered = all.find(({ metadata }) => metadata.name === target.name)?.metadata.creationTimestamp;
  if (rendered === undefined || !target.sources.includes(head.metadata.name)) return false;
  return isAsRendered(head, rendered);
}

/** As the MCO gives it, without what it puts before every error. */
function errorIn(message: string, { name }: Pool): string {
  const opening = `Failed to render configuration for pool ${name}: `;
  return message.startsWith(opening) ? message.slice(opening.length) : message;
}

function withoutOpening(message: string, pool: Pool, { names }: Blame): string {
  const text = errorIn(message, pool)
    .replace(/^could not generate rendered MachineConfig: (?=reconciliation failed between)/i, '')
    .replace(/\.$/, '');
  // Which two were compared is said by what the nodes keep and by name, or tells nothing: templates come first.
  const name = comparing.test(text) ? (namedIn(text, pool) ?? '') : '';
  return names.includes(name) || isTemplateOf(name, pool)
    ? text.replace(/^reconciliation failed between current config "[^"]*" and base config "[^"]*": /, '')
    : text;
}

function seeStreams({ name }: Pool): Remedy {
  const asked = command('oc', 'get', 'machineconfigpool', name, '-o', 'jsonpath={.spec.osImageStream.name}');
  return remedy('See which image stream the pool asks for, and which ones there are', {
    command: `${asked}; ${command('oc', 'get', 'osimagestreams', '-o', 'yaml')}`,
  });
}

function* remediesOf(
  { code, pattern, remedies, mending }: RenderRule,
  { names, heads, by }: Blame,
  subject: PoolSubject,
): Inquiry<readonly Remedy[]> {
  const { pool } = subject;
  if (remedies !== undefined) return remedies;
  if (pattern === streamText) return [seeStreams(pool)];
  if (mending !== undefined) return yield* revertsOf(names, subject, { heads, mending });
  switch (code) {
    case 'R8':
      return [remedy('Wait for the upgrade; look again if it lasts more than 30 min')];
    case 'R1':
      return [remedy(`Correct machineConfigSelector of pool ${pool.name} in Git`)];
    case 'R5':
      return [remedy('Take files out of the MachineConfigs or entries out of the mirror sets, in Git')];
    case 'R6':
      return [remedy(`Choose one: osImageURL of a MachineConfig or osImageStream of pool ${pool.name}`)];
    case 'R7':
      return [remedy('Move to crun (ContainerRuntimeConfig defaultRuntime) in Git')];
    default:
      if (names.length === 0)
        return [remedy('Revert the last change of a MachineConfig of this pool in Git; no node needs anything')];
      return by === 'since' ? [seeBefore(pool, names)] : yield* revertsOf(names, subject, { heads });
  }
}

function seeBefore(pool: Pool, since: readonly string[]): Remedy {
  const failedAt = condition(pool, 'RenderDegraded')?.since;
  const when = failedAt === undefined ? '' : `, at ${failedAt}`;
  return remedy(
    `In Git: see which MachineConfig of pool ${pool.name} was changed or taken away just before it failed${when}, and revert that; only if nothing was, look at what changed since: ${listed(since, 3)}`,
  );
}
