import type { DisruptionClass, UpdateKind } from './disruption.ts';

/** What nodes suffer, as the end of `its nodes ...`. */
export function classWords(disruption: DisruptionClass | undefined): string {
  switch (disruption) {
    case 'none':
      return 'notice nothing';
    case 'reload':
      return 'reload a service';
    case 'restart':
      return 'restart a service';
    case 'drain':
      return 'are drained';
    case 'reboot':
      return 'are drained and reboot';
    case undefined:
      return 'may reboot: it cannot be told';
    default:
      return disruption satisfies never;
  }
}

/** What moves. */
export function updateWords(update: UpdateKind): string {
  switch (update) {
    case 'nothing':
      return 'nothing changes';
    case 'files':
      return 'files and settings change, the OS image stays';
    case 'os':
      return 'the OS image changes, files and settings stay';
    case 'os-and-files':
      return 'the OS image changes, and files or settings too';
    case 'unknown':
      return 'what changes is not known';
    default:
      return update satisfies never;
  }
}
