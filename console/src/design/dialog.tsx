import { Modal } from '@mantine/core';
import { createContext, type ReactNode, use, useState } from 'react';
import { useTexts } from '../language/language.ts';
import { useSessionControl } from '../session/session.tsx';
import { designTexts } from './design-texts.ts';
import { useFocusReturn } from './use-focus-return.ts';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /**
   * The events that close it besides its own buttons. `anything`: Escape, the cross, a click beside it; `keys`: not the
   * click, which would lose what was typed; `nothing`, where it shows a secret once.
   */
  readonly closedBy?: 'anything' | 'keys' | 'nothing';
  readonly children: ReactNode;
}

/** Mantine's `<header>` would be a second banner of the page (axe, landmark-no-duplicate-banner). */
const NO_BANNER = { component: 'div' };

/** A dialog above the page, as long as it is rendered. */
export function Dialog({ title, onClose, closedBy = 'anything', children }: DialogProps): ReactNode {
  const t = useTexts(designTexts);
  const { state } = useSessionControl();
  useFocusReturn();
  const hasCross = closedBy !== 'nothing';
  return (
    <Modal.Root
      opened
      onClose={onClose}
      lockScroll={false}
      returnFocus={false}
      closeOnClickOutside={closedBy === 'anything'}
      // Mantine listens at the window, where the key may be meant for the sign-in.
      closeOnEscape={hasCross && state.kind === 'signed-in'}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header {...NO_BANNER}>
          <Modal.Title>{title}</Modal.Title>
          {hasCross && <Modal.CloseButton aria-label={t.close} />}
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

const StandingContext = createContext<(dialog: ReactNode) => void>(() => undefined);

/** @returns shows a dialog that stays open when its page is left, or nothing in place of it */
export function useStandingDialog(): (dialog: ReactNode) => void {
  return use(StandingContext);
}

/** Shows the dialog that a page in it has opened, one at a time, whatever page is open. */
export function StandingDialog({ children }: { readonly children: ReactNode }): ReactNode {
  const [dialog, setDialog] = useState<ReactNode>(null);
  return (
    <StandingContext value={setDialog}>
      {children}
      {dialog}
    </StandingContext>
  );
}
