import type { NodeReason } from '../text/node-reason.ts';

/** The steps in which the daemon changes the operating system of a node. */
export const osUpdate = /update OS|rpm-ostree|bootc|OS image|os-content|podman|skopeo|image extract|pivot/i;
/** Steps that fetch an image. `rpm-ostree kargs` and `update --install` fetch none. */
export const pull =
  /update OS|rebase|podman|skopeo|image extract|pulling|OS image|extensions image|bootc switch|pivot/i;
/** Questions about images and deployments that the daemon asks without telling what for. */
export const osQuestion = /podman|skopeo|refs found in repo|type of (?:target|update) image|parse manifest/i;
export const rpmOstree = /rpm-ostree|update OS|\bostree admin\b|bootc/i;

const osPrograms = ['rpm-ostree', 'ostree', 'bootc', 'podman', 'skopeo'];

/** The words are those of a program that brings an operating system, not those of the daemon. */
export function isOfOsProgram({ command }: Pick<NodeReason, 'command'>): boolean {
  return osPrograms.includes(command?.program ?? '');
}
