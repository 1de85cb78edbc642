import type { JSX } from 'preact';
import type { DisplaySegment, DisplayText } from '../../../src/device/display-text.ts';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import { flowTexts } from './flow-texts.ts';

/** Characters that still fit a phone's screen in the largest type. */
const LARGE_TYPE = 160;
/** After the end of a line: not within one, where a reference of the payee could bring an amount of its own. */
const BREAK = /(?<=\n)(?!\r?\n)/;
/** Never with digits: an amount stays large. */
const NAME = /^\p{L}[\p{L} -]{0,24}:\s+(?=\S)/u;

/** The text that is to be confirmed: large, whole, and with marks where it is not what it looks like. */
export function DisplayData({ text }: { text: DisplayText }): JSX.Element {
  const texts = useTexts(flowTexts);
  const length = text.segments.reduce((sum, segment) => sum + segment.text.length, 0);
  if (text.segments.every((segment) => segment.kind === 'plain' && segment.text.trim() === '')) {
    return <Notice kind="warning">{texts.displayEmpty}</Notice>;
  }
  const lines = linesOf(text.segments);
  return (
    <>
      <div
        class={length > LARGE_TYPE ? 'display-data display-data-long' : 'display-data'}
        role="group"
        aria-label={texts.displayData}
        dir="auto"
      >
        {lines.map((line, place) => (
          <div key={place} class="display-line">
            {line.map((segment, part) => (
              <Segment key={part} segment={segment} mayHaveName={lines.length > 1 && part === 0} />
            ))}
          </div>
        ))}
      </div>
      {text.verdict !== 'faithful' && (
        <Notice kind={text.verdict === 'refused' ? 'error' : 'warning'}>
          <strong>{texts.displayVerdicts[text.verdict]}</strong>
          {text.reasons.map((reason) => (
            <p key={reason}>{texts.displayFaults[reason]}</p>
          ))}
        </Notice>
      )}
    </>
  );
}

/** The parts that stand apart, as amount and payee. Together they are the text, to the last blank. */
function linesOf(segments: readonly DisplaySegment[]): readonly (readonly DisplaySegment[])[] {
  const lines: DisplaySegment[][] = [[]];
  for (const segment of segments) {
    const [first = '', ...others] = segment.kind === 'plain' ? segment.text.split(BREAK) : [segment.text];
    lines.at(-1)?.push({ ...segment, text: first });
    lines.push(...others.map((text) => [{ ...segment, text }]));
  }
  return lines;
}

interface SegmentProps {
  readonly segment: DisplaySegment;
  /** At the beginning of one of several lines: elsewhere, a name would set apart what follows it. */
  readonly mayHaveName: boolean;
}

function Segment({ segment: { kind, text, name }, mayHaveName }: SegmentProps): JSX.Element {
  const [named = ''] = mayHaveName ? (NAME.exec(text) ?? []) : [];
  switch (kind) {
    case 'plain':
      return (
        <>
          {named !== '' && <span class="display-name">{named}</span>}
          {text.slice(named.length)}
        </>
      );
    case 'look-alike':
      return <mark>{text}</mark>;
    default:
      return <mark class="mark-refused">{name}</mark>;
  }
}
