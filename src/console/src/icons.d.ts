declare module '@mui/icons-material/*' {
  export { default } from '@mui/material/SvgIcon';
}
