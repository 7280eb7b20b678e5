# SPDX-License-Identifier: LGPL-2.1-or-later
#
# bash completion for ucoretool.  `ucoretool __complete` prints the completed words.  bash splits
# words at = and :, and expects only the part after the last of these characters.
_ucoretool()
{
	local line=${COMP_LINE:0:COMP_POINT} words=() last kept
	read -ra words <<<"$line"
	[[ $line == *[[:space:]] ]] && words+=('')
	last=${words[-1]#[\'\"]}
	words[-1]=$last
	kept=${last%"${last##*[=:]}"}
	mapfile -t COMPREPLY < <("${1:-ucoretool}" __complete "${words[@]:1}" 2>/dev/null)
	case ${COMPREPLY[0]-} in
	:files) mapfile -t COMPREPLY < <(compgen -f -- "${last#"$kept"}")
		compopt -o filenames 2>/dev/null ;;
	:programs) mapfile -t COMPREPLY < <(compgen -c -- "$last") ;;
	*) COMPREPLY=("${COMPREPLY[@]#"$kept"}")
		[[ ${COMPREPLY[0]-} == *[/=] ]] && compopt -o nospace 2>/dev/null ;;
	esac
	return 0
}
complete -F _ucoretool ucoretool
