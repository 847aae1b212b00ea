import type { Inquiry } from '../../findings/inquiry.ts';
import { read, type Unread, unreadOf } from '../../findings/unread.ts';
import { isDone, type Node } from '../../openshift/node.ts';
import { given } from '../../text/given.ts';
import { unique } from '../../text/unique.ts';
import { type BootedSystem, bootedSystemOf, changesText } from '../logs.ts';
import type { NodeStatus } from '../objects/node-status.ts';
import { nodeStatuses } from '../questions.ts';
import type { PreflightSubject } from './obstacle.ts';

/** The operating system of a node, where something is to be said of it. */
export interface NodeSystem {
  readonly node: string;
  /** Image mode: the image that it boots. */
  readonly image?: string | undefined;
  /** Image mode: the image that it is to boot, where that is another. */
  readonly wantedImage?: string | undefined;
  /** What it runs, and what others with the same configuration run; empty: the same, or not seen. */
  readonly unlike: readonly { readonly own: string; readonly others: readonly string[] }[];
  /** Packages that are layered, replaced or removed on the node itself; empty: none, or not seen. */
  readonly changes: string;
}

export interface NodeSystems {
  readonly nodes: readonly NodeSystem[];
  /** What was not seen. It blocks no drain, so it is no doubt about the obstacles. */
  readonly unread: readonly Unread[];
}

/** Layered packages, hotfixes and images of a node's own, before an update fails on them. The kubelets' words for all
 *  nodes of the pool take one call; what the daemons logged when they started, two for each node. */
export function* nodeSystems(subject: PreflightSubject, limit: number): Inquiry<NodeSystems> {
  const { pool, nodes, touched } = subject;
  const statuses = yield* read(nodeStatuses(pool.nodeSelector ?? {}));
  const unread: Unread[] = [...unreadOf([statuses])];
  const booted = new Map<string, BootedSystem>();
  for (const { name } of touched.slice(0, limit)) {
    const system = yield* bootedSystemOf(name);
    if (!('kind' in system)) {
      booted.set(name, system);
      continue;
    }
    // Who may not read one log may read none.
    const isForbidden = system.isForbidden === true;
    unread.push(isForbidden ? { ...system, what: `what the nodes of ${pool.name} have booted` } : system);
    if (isForbidden) break;
  }
  if (touched.length > limit && !unread.some(({ isForbidden }) => isForbidden))
    unread.push({
      kind: 'unread',
      what: `what ${touched.length - limit} further nodes have booted`,
      why: `it is read of ${limit}`,
      readAt: subject.readAt,
    });
  const rows = statuses.kind === 'read' ? statuses.value.nodes : [];
  const seen = [
    new Map(rows.map((row) => [row.name, systemText(row)])),
    new Map([...booted].map(([name, { image }]) => [name, imageName(image)])),
  ];
  const judged = touched.map((node) => ({
    node: node.name,
    ...imagesOf(node),
    unlike: seen.flatMap((systems) => unlikeOthers(node, nodes, systems)),
    changes: changesOf(booted.get(node.name)),
  }));
  return { nodes: judged.filter(isWorthSaying), unread };
}

function imagesOf({ currentImage, desiredImage }: Node): Pick<NodeSystem, 'image' | 'wantedImage'> {
  return {
    ...given({ image: currentImage }),
    ...(desiredImage === undefined || desiredImage === currentImage ? {} : { wantedImage: desiredImage }),
  };
}

function changesOf(system: BootedSystem | undefined): string {
  return system === undefined ? '' : changesText(system);
}

function isWorthSaying({ image, wantedImage, unlike, changes }: NodeSystem): boolean {
  return image !== undefined || wantedImage !== undefined || unlike.length > 0 || changes !== '';
}

/** Compared with those that were given the same and are done with it. Where most of them run one system, only who runs
 *  another is unlike; where none prevails, each is. */
function unlikeOthers(node: Node, nodes: readonly Node[], systems: ReadonlyMap<string, string>): NodeSystem['unlike'] {
  const own = systems.get(node.name) ?? '';
  if (own === '' || !isDone(node)) return [];
  const peers = nodes.filter((each) => isDone(each) && givenTo(each) === givenTo(node));
  const all = peers.flatMap(({ name }) => systems.get(name) ?? []).filter((system) => system !== '');
  const ownCount = all.filter((system) => system === own).length;
  const others = unique(all)
    .filter((system) => system !== own)
    .toSorted();
  return others.length === 0 || ownCount * 2 > all.length ? [] : [{ own, others }];
}

/** Releases are built for each architecture on its own. */
function givenTo({ currentConfig, currentImage = '', labels }: Node): string {
  return [currentConfig, currentImage, labels['kubernetes.io/arch'] ?? ''].join(' ');
}

function systemText({ osImage, kernel }: NodeStatus): string {
  return [osImage, kernel === '' ? '' : `kernel ${kernel}`].filter((each) => each !== '').join(', ');
}

/** Without how it came there, and by its digest where it has one: mirrors and local storage have the same. */
function imageName(image: string): string {
  return /sha256:[0-9a-f]{12,64}/.exec(image)?.[0] ?? image;
}
