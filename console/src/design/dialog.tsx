import { Alert, Button, Code, Group, Modal } from '@mantine/core';
import { type ComponentType, createContext, type ReactNode, use, useCallback, useRef, useState } from 'react';
import { useTexts } from '../language/language.ts';
import { useSessionControl } from '../session/session.tsx';
import { Boundary } from './boundary.tsx';
import { designTexts } from './design-texts.ts';
import classes from './dialog.module.css';
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

interface DialogBoundaryProps {
  /** That of the dialog; left out: nothing is known of it. */
  readonly title?: string;
  /** What was done before the failure, and goes on. */
  readonly report?: ReactNode;
  /** Undefined while it must not be closed. */
  readonly onClose: (() => void) | undefined;
  readonly children: ReactNode;
}

/** Tells the failure of a dialog in a dialog of its own, which can be closed: the page below stays. */
export function DialogBoundary({ children, ...failed }: DialogBoundaryProps): ReactNode {
  return (
    <Boundary fallback={(failure) => <FailedDialog failure={failure} {...failed} />}>{children}</Boundary>
  );
}

function FailedDialog({
  failure,
  title,
  report,
  onClose,
}: Omit<DialogBoundaryProps, 'children'> & { readonly failure: unknown }): ReactNode {
  const t = useTexts(designTexts);
  return (
    <Dialog title={title ?? t.dialogFailed} closedBy="nothing" onClose={() => onClose?.()}>
      <Alert color="red" role="alert" title={title && t.dialogFailed}>
        <Code>{String(failure)}</Code>
      </Alert>
      {report}
      {onClose !== undefined && (
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            {t.close}
          </Button>
        </Group>
      )}
    </Dialog>
  );
}

/** A dialog that knows how to end itself. */
type Standing = ComponentType<{ readonly onClose: () => void }>;

const StandingContext = createContext<(Content: Standing) => void>(() => undefined);

/** @returns shows a dialog that stays when its page is left, above those that are there already */
export function useStandingDialog(): (Content: Standing) => void {
  return use(StandingContext);
}

interface StandingEntry {
  readonly number: number;
  readonly Content: Standing;
}

/** Shows the dialogs that pages in it have opened, whatever page is open. One that fails ends alone. */
export function StandingDialogs({ children }: { readonly children: ReactNode }): ReactNode {
  const [entries, setEntries] = useState<readonly StandingEntry[]>([]);
  const last = useRef(0);
  const stand = useCallback((Content: Standing) => {
    last.current += 1;
    const entry = { number: last.current, Content };
    setEntries((before) => [...before, entry]);
  }, []);
  return (
    <StandingContext value={stand}>
      {children}
      <div className={classes.standing}>
        {entries.map(({ number, Content }) => {
          const close = (): void => {
            setEntries((before) => before.filter((entry) => entry.number !== number));
          };
          return (
            <DialogBoundary key={number} onClose={close}>
              <Content onClose={close} />
            </DialogBoundary>
          );
        })}
      </div>
    </StandingContext>
  );
}
