/** Name of the secret of a cluster's token in Secrets Manager. */
export function secretName(
  name: string,
  { secret, stage }: { readonly secret?: string | undefined; readonly stage?: string | undefined },
): string | undefined {
  if (secret !== undefined) return secret;
  return stage === undefined ? undefined : `poolkeeper/${stage}/${name}/token`;
}

/** The stage in such a name; undefined: it was not named by a stage. */
export function stageOf(secret: string): string | undefined {
  return /^poolkeeper\/([^/]+)\/[^/]+\/token$/.exec(secret)?.[1];
}
