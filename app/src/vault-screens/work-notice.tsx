import type { JSX } from 'preact';
import { Notice } from '../design/notice.tsx';
import type { WorkMessage } from './vault-work.ts';

/** The message of work, where there is one. */
export function WorkNotice({ message }: { message: WorkMessage | undefined }): JSX.Element | null {
  return message === undefined ? null : <Notice kind={message.kind}>{message.text}</Notice>;
}
