/** What Slack would refuse, by its own limits (types of its Node SDK, and the undocumented sum of a message's
 *  blocks). */

type Item = Readonly<Record<string, unknown>>;

const limits = {
  text: 40_000,
  blocks: 50,
  header: 150,
  section: 3000,
  field: 2000,
  fields: 10,
  context: 10,
  actions: 25,
  button: 75,
  value: 2000,
  placeholder: 150,
  options: 100,
  optionValue: 150,
  url: 3000,
  id: 255,
  /** Sum of all blocks. Source: bolt-js issue 2509. */
  sum: 13_200,
} as const;

/** Slack's word for what is wrong with a message; undefined = Slack takes it. */
export function slackComplaint(message: { readonly text?: unknown; readonly blocks?: unknown }): string | undefined {
  const { text = '', blocks = [] } = message;
  if (typeof text !== 'string' || !Array.isArray(blocks)) return 'invalid_arguments';
  if (text === '' && blocks.length === 0) return 'no_text';
  if (text.length > limits.text) return 'msg_too_long';
  if (blocks.length > limits.blocks || !blocks.every(isBlock)) return 'invalid_blocks';
  return JSON.stringify(blocks).length > limits.sum ? 'msg_blocks_too_long' : undefined;
}

function isBlock(block: unknown): boolean {
  if (!isItem(block)) return false;
  switch (block['type']) {
    case 'header':
      return isText(block['text'], ['plain_text'], limits.header);
    case 'section':
      return isSection(block);
    case 'context':
      return isList(block['elements'], limits.context, (each) =>
        isText(each, ['plain_text', 'mrkdwn'], limits.section),
      );
    case 'actions':
      return isList(block['elements'], limits.actions, isAction) && areUnique(block['elements']);
    case 'rich_text':
      return isList(block['elements'], Number.POSITIVE_INFINITY, isRichText);
    case 'divider':
      return true;
    default:
      return false;
  }
}

function isSection({ text, fields, accessory }: Item): boolean {
  if (text === undefined && fields === undefined) return false;
  if (accessory !== undefined && !isAction(accessory)) return false;
  const textOk = text === undefined || isText(text, ['plain_text', 'mrkdwn'], limits.section);
  const fieldOk = (each: unknown) => isText(each, ['plain_text', 'mrkdwn'], limits.field);
  return textOk && (fields === undefined || isList(fields, limits.fields, fieldOk));
}

/** Slack refuses a block in which two elements have the same id. */
function areUnique(elements: unknown): boolean {
  const ids = Array.isArray(elements) ? elements.map((each) => (isItem(each) ? each['action_id'] : undefined)) : [];
  return new Set(ids).size === ids.length;
}

function isAction(element: unknown): boolean {
  return isButton(element) || isMenu(element);
}

function isMenu(element: unknown): boolean {
  if (!isItem(element) || element['type'] !== 'static_select' || typeof element['action_id'] !== 'string') return false;
  const isOption = (option: unknown) =>
    isItem(option) &&
    isText(option['text'], ['plain_text'], limits.button) &&
    typeof option['value'] === 'string' &&
    option['value'].length <= limits.optionValue;
  return (
    isText(element['placeholder'], ['plain_text'], limits.placeholder) &&
    isList(element['options'], limits.options, isOption)
  );
}

function isButton(element: unknown): boolean {
  if (!isItem(element) || element['type'] !== 'button') return false;
  const { url, action_id: id, value } = element;
  if (value !== undefined && (typeof value !== 'string' || value.length > limits.value)) return false;
  const urlOk = url === undefined || (typeof url === 'string' && url.length <= limits.url && URL.canParse(url));
  return (
    urlOk && typeof id === 'string' && id.length <= limits.id && isText(element['text'], ['plain_text'], limits.button)
  );
}

function isRichText(element: unknown): boolean {
  if (!isItem(element)) return false;
  switch (element['type']) {
    case 'rich_text_section':
    case 'rich_text_preformatted':
      return isList(element['elements'], Number.POSITIVE_INFINITY, isRun);
    case 'rich_text_list':
      return (
        (element['style'] === 'ordered' || element['style'] === 'bullet') &&
        isList(element['elements'], Number.POSITIVE_INFINITY, isRichText)
      );
    default:
      return false;
  }
}

function isRun(run: unknown): boolean {
  return isItem(run) && run['type'] === 'text' && typeof run['text'] === 'string' && run['text'].length > 0;
}

function isText(text: unknown, types: readonly string[], limit: number): boolean {
  if (!isItem(text) || !types.includes(String(text['type']))) return false;
  const words = text['text'];
  return typeof words === 'string' && words.trim().length > 0 && words.length <= limit;
}

function isList(list: unknown, most: number, isElement: (element: unknown) => boolean): boolean {
  return Array.isArray(list) && list.length > 0 && list.length <= most && list.every(isElement);
}

function isItem(value: unknown): value is Item {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
