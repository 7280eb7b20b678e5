# SPDX-License-Identifier: LGPL-2.1-or-later
#
# fish completion for ucoretool.  `ucoretool __complete` prints the completed words.
function __ucoretool_words
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l found ($words[1] __complete $words[2..-1] "$word" 2>/dev/null)
    switch "$found[1]"
        case :files
            set -l option (string match -r -- '^--[a-z-]+=' "$word")
            set -l paths (__fish_complete_path (string replace -- "$option" '' "$word"))
            set -q paths[1]; and printf "$option%s\n" $paths
        case :programs
            __fish_complete_command
        case '*'
            string join \n -- $found
    end
end
complete -c ucoretool -f -a '(__ucoretool_words)'
