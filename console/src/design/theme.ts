import { createTheme } from '@mantine/core';

/** Dialogs have a header of their own, which is no second banner of the page. */
export const theme = createTheme({
  components: { ModalHeader: { defaultProps: { role: 'presentation' } } },
});
