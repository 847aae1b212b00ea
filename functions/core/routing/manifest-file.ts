import type { Manifest } from '../openshift/manifest.ts';
import { type ChangedFile, isButaneFile } from './changed-file.ts';

/** Content of a text. Documents of other kinds are counted, not parsed. `butane`: what Butane makes of a text
 *  that is for it, in a file that Argo CD reads by its name; absent: it is not. */
export type ManifestFile =
  | {
      readonly kind: 'read';
      readonly manifests: readonly Manifest[];
      /** Every document is a Kubernetes object, and none is a patch, a template, values or a tool's own file. */
      readonly isWhole: boolean;
      /** What Helm may make anything of where this is a template: its actions, or all of it. Absent: nothing. */
      readonly givenByHelm?: string;
      readonly butane?: ManifestFile;
    }
  | { readonly kind: 'unreadable'; readonly why: string; readonly butane?: ManifestFile };

/** A changed file whose text was parsed as manifests. */
export interface ParsedFile {
  readonly path: string;
  readonly before: ParsedContent;
  readonly after: ParsedContent;
}

export type ParsedContent = ManifestFile | { readonly kind: 'absent' };

/** By its name, or by its text at either revision. */
export function isButane({ path, before, after }: ParsedFile): boolean {
  return isButaneFile(path) || [before, after].some((side) => side.kind !== 'absent' && side.butane !== undefined);
}

/** Parses a text as manifests; implemented in functions/adapters/yaml/. */
export type ReadManifests = (text: string, path: string) => ManifestFile;

/** Every file at both revisions. */
export function parseFiles(files: readonly ChangedFile[], read: ReadManifests): readonly ParsedFile[] {
  return files.map(({ path, before, after }) => {
    const observedOf = (observed: ChangedFile['before']): ParsedContent => {
      switch (observed.kind) {
        case 'absent':
          return observed;
        case 'unread':
          return { kind: 'unreadable', why: observed.why };
        case 'text':
          return read(observed.text, path);
        default:
          return observed satisfies never;
      }
    };
    return { path, before: observedOf(before), after: observedOf(after) };
  });
}
