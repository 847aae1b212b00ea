/** What people approve of a pool, as one word: the rendered config, and in image mode the image that its nodes boot
 *  with it, by its digest: `rendered-worker-<hash>@sha256:<64 hex digits>`. The MCO may build any number of images for
 *  one rendered config. docs/decisions/0040-approvals-name-the-image.md. */
export function changeName(config: string, digest: string | undefined): string {
  return digest === undefined ? config : `${config}@${digest}`;
}

/** Name of the rendered config. */
export function configOfChange(change: string): string {
  return change.split('@', 1).join();
}

/** `sha256:<64 hex digits>` of an image that is named by it; undefined: it is not. Source: api machineconfiguration/v1
 *  types_machineosconfig.go `ImageDigestFormat`. */
export function imageDigestOf(image: string): string | undefined {
  return /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1];
}

/** In a sentence: `rendered-worker-<hash> with image sha256:0b1c2d3e4f5a`. */
export function changeWords(change: string): string {
  const digest = imageDigestOf(change);
  const config = configOfChange(change);
  return digest === undefined ? config : `${config} with image ${digest.slice(0, 'sha256:'.length + 12)}`;
}
